// SPDX-License-Identifier: Apache-2.0
//
// Sorting networks with few comparators for 2 to 32 wires. A string is a layer: its character i, a digit in base 32, is
// the wire that wire i is compared with, or i.
//
// Sources (docs/sorting.md compares their sizes with the smallest networks known):
//
//   even-odd merge sort, K. E. Batcher:
//       2 to 8
//   M. W. Green's, Knuth, The Art of Computer Programming 3, section 5.3.4:
//       16
//   found here, by random changes of a network that keep it sorting:
//       10, 12, 13, 19
//   an even-odd merge of two smaller networks:
//       18 of 10 and 8, 20 of 10 and 10, 22 of 12 and 10, 24 of 12 and 12, 25 of 13 and 12, 26 of 13 and 13, 28
//       of 16 and 12, 29 of 16 and 13, 32 of 16 and 16
//   a larger one without the comparators of its largest or of its smallest key:
//       9 of 10, 11 of 12, 14 of 15, 15 of 16, 17 of 18, 21 of 22, 23 of 24, 27 of 28, 30 of 31, 31 of 32

localparam BEST_W = 8*32*16;    // bits of the longest table

function integer best_layers(input integer n);
    case (n)
        2: best_layers = 1;
        3, 4: best_layers = 3;
        5: best_layers = 5;
        6, 7, 8: best_layers = 6;
        9, 10: best_layers = 8;
        11, 12, 14, 15, 16: best_layers = 10;
        13: best_layers = 11;
        17, 18, 20: best_layers = 12;
        19, 21, 22, 23, 24, 27, 28, 30, 31, 32: best_layers = 15;
        25, 26, 29: best_layers = 16;
    endcase
endfunction

function [BEST_W-1:0] best(input integer n);
    case (n)
        2:  best = {"10"};
        3:  best = {"102", "210", "021"};
        4:  best = {"1032", "2301", "0213"};
        5:  best = {"10243", "21034", "32104", "04321", "02143"};
        6:  best = {"102435", "210543", "321054", "045312", "013245", "021435"};
        7:  best = {"1032546", "2301654", "4213065", "0563412", "0145236", "0214365"};
        8:  best = {"10325476", "23016745", "42170653", "05634127", "01452367", "02143657"};
        9:  best = {"103246587", "034127658", "260375148", "518640372", "021354687", "045712836", "014523768",
                    "012436578"};
        10: best = {"1032547698", "0341278569", "2503816947", "6179450283", "0215634879", "0467182359", "0146273589",
                    "0124365789"};
        11: best = {"1032465a987", "230154687a9", "416a0927853", "7983456021a", "0523718469a", "0213456798a",
                    "047815623a9", "0146273598a", "0125437689a", "0124365879a"};
        12: best = {"1032547698ba", "23016745ab89", "4153029b86a7", "89ab45670123", "06278a13495b", "021345678a9b",
                    "0489156a237b", "0145238967ab", "0126483759ab", "0124365879ab"};
        13: best = {"1032547698bac", "894523cb01a76", "210379a4856bc", "61ca8507493b2", "03412567a98cb",
                    "06274b138ca59", "0213684957bac", "0146253a8b79c", "012543876a9bc", "0124365879abc",
                    "0123457698abc"};
        14: best = {"2506c13d98ba47", "03217654ab89dc", "1053826a4c7d9b", "48970cb312a65d", "043217856a9dcb",
                    "0214396a857cbd", "01326547b9a8dc", "0123549876bacd", "01243659a78cbd", "0123457698abcd"};
        15: best = {"0216543e98badc7", "1024365cab897ed", "345012687dcea9b", "7a98cdb0321645e", "02179a83645edcb",
                    "037154628a9cbed", "01324576b9a8dce", "0123674598bacde", "012436587a9cbde", "0123457698abcde"};
        16: best = {"1032547698badcfe", "23016745ab89efcd", "45670123cdef89ab", "89abcdef01234567", "021c8a9b46573edf",
                    "0483165d2a9ec7bf", "0148256c39ad7bef", "0125438967cbadef", "012436587a9cbdef", "0123457698abcdef"};
        17: best = {"103246587a9edcbgf", "034127658fgcbed9a", "260375148bf9dcgae", "5186403729cbafedg",
                    "9213546870adebcfg", "0457128369badcfeg", "0a452376981bcdefg", "01b4365g89a2cdef7",
                    "012cdef789ab3456g", "01238abc4d5679efg", "0145238a6b79efcdg", "021436587a9cbedgf"};
        18: best = {"1032547698badcfehg", "0341278569ghefcdab", "2503816947cgaedhbf", "6179450283adcbgfeh",
                    "a2156348790befcdgh", "0467182359acbedgfh", "0b462735a981cdefgh", "01c4365h8ba92defg7",
                    "012defg789abc3456h", "012389cd45ef67abgh", "0145238967cdabghef", "021436587a9cbedgfh"};
        19: best = {"1032547698badcfehgi", "23016745ab89efcdihg", "45670123cdef89abgih", "89abcdef01234567ghi",
                    "g42i156dh9aec7bf083", "0829g5h713abcief46d", "0143296g85adcbei7hf", "0214386a5h7bcgefd9i",
                    "0125c38769ab4dhfgei", "0132547689acbdehgfi", "0123674589badcegfhi", "01243659a78ecdbfghi",
                    "012345687a9cbedfghi", "012345768bc9adfeghi", "0123456798badcefghi"};
        20: best = {"1032547698badcfehgji", "0341278569chafidgbej", "2503816947gdibejahcf", "6179450283ebcdagfjih",
                    "a21563487j0fehcbidg9", "0467182359acbgfedihj", "0b462735i9a1efcdhg8j", "01c4365hab892edgf7ij",
                    "012defg789abc3456hij", "012389cd45ef67abghij", "0145238967cdabghefij", "021436587a9cbedgfihj"};
        21: best = {"1032465a987edcbihgfkj", "230154687a9jfedcgihbk", "416a0927853bghkjcdife", "7983456021acbdgfehkji",
                    "b523718469a0fedcjihgk", "0213456798abdcfehgjik", "047815623a9bcedgfihjk", "0c46273598ab1dfehgijk",
                    "01d543768kabc2efghij9", "012436587cdb9aefghijk", "012efghij9abcd345678k", "012349aeb568gh7fcdijk",
                    "0125836947afedcbijghk", "0143258769bacfedgihkj", "021436587a9cbedgfhijk"};
        22: best = {"1032547698badcfehgjilk", "23016745ab89ifkdgjchel", "4153029b86a7ghelcdkjif",
                    "89ab45670123edcgfhilkj", "c6278a13495b0fidkjehgl", "021345678a9bcedihgfkjl",
                    "0489156a237bcdfeijghkl", "0d45238967abc1egfihjkl", "01e648375labcd2fghijk9",
                    "012436587debc9afghijkl", "012fghijk9abcde345678l", "012349a7c56f8hibgdejkl",
                    "0125836b49a7gdejchkfil", "0143258967cdabghefilkj", "021436587a9cbedgfihkjl"};
        23: best = {"1032465a987mdcfehgjilkb", "230154687a9kefcdijghbml", "416a0927853bgilmchdjkef",
                    "7983456021acbkefglimdhj", "b523718469a0gdhjcekfilm", "0213456798abcedfghijlkm",
                    "047815623a9bdcgkehilfjm", "0c46273598lb1edihgfkjam", "01d543768kabc2egfihj9lm",
                    "012436587cdb9afehgjiklm", "012efghij9abcd345678klm", "012349a7b568ghmfcdijkle",
                    "0125836e49afcd7bgjmhkli", "0143258967baefcdihgjmlk", "021436587a9cbedgfihkjml"};
        24: best = {"1032547698badcfehgjilknm", "23016745ab89efcdijghmnkl", "4153029b86a7gilnchdjkemf",
                    "89ab45670123kmefglinchdj", "c6278a13495n0dhjkemfglib", "021345678a9bcedfghijkmln",
                    "0489156a237bcgkldhimefjn", "0d45238967mbc1giekflhjan", "01e648375labcd2hgfkji9mn",
                    "012436587debc9agfihkjlmn", "012fghijk9abcde345678lmn", "012349a7c56f8hibgdejklmn",
                    "0125836b49a7gdejchkfilmn", "0143258967cdabghefilkjmn", "021436587a9cbedgfihkjmln"};
        25: best = {"1032547698backfehgjidonml", "894523cb01a76edkijghfmlon", "210379a4856bcgnidhfjolmek",
                    "61ca8507493b2lemgniokdfhj", "d3412567a98cb0hflemkjgino", "06274b138ca59dfeghijklnmo",
                    "0213684957bacdglehimnfjko", "0e46253a8b79cd1gfljimhkno", "01f543876a9ocde2gihlkjmnb",
                    "0124365879nbcdefhgjilkmao", "012ghi7698fbcdea345jklmno", "012345jklmaghdefbci6789no",
                    "012345abde67c89jklifghmno", "0123896745abdcifgjehmnklo", "0145238967ceafbdihgkjmlon",
                    "021436587a9cbedgfihjklmno"};
        26: best = {"1032547698backfehgjidonmlp", "894523cb01a76ipnlodkjgmfhe", "210379a4856bcgmidhfjolenkp",
                    "61ca8507493b2edlphimkfjnog", "d3412567a98cb0egfjihkmlpon", "06274b138ca59dhfgejinlmkpo",
                    "0213684957bapdfehgiolknmjc", "0e46253a8b79cd1gfihmkljonp", "01f543876a9ocde2gkljhinmbp",
                    "0124365879nbcdefhgklijmaop", "012ghi7698fbcdea345kjmlnop", "012345jklmaghdefbci6789nop",
                    "012345abde67c89jklifghmnop", "0123896745abdcifgjehmnklop", "0145238967ceafbdihgkjmlonp",
                    "021436587a9cbedgfihjklmnop"};
        27: best = {"0216543e98badc7mhgjilkfqpon", "1024365cab897edkijghfmlonqp", "345012687dcea9bgfhljpiqnokm",
                    "7a98cdb0321645engpoqklmfihj", "f2179a83645edcb0nkimhojglpq", "037154628a9cbedfgihjklmnpoq",
                    "01324576b9a8dcefhgnoklpijmq", "0g23674598bacdef1ihlnjokmpq", "01h436587a9cbdefg2ikjnmlopq",
                    "0123457698pqcdefghjilknmoab", "012ijklmnohbcdefga3456789pq", "012345a7fg6ijkl89hbcdemnopq",
                    "0123896b45a7fghcdemnopijklq", "0145238967cdabfeijghmnklqpo", "021436587a9cbedgfihkjmlonqp"};
        28: best = {"1032547698badcfehgjilknmporq", "23016745ab89efcdijghmnklqrop", "45670123cdef89abkhljgipromqn",
                    "89abcdef01234567opqrklmnghij", "g21c8a9b46573edf0minoqhjkplr", "0483165d2a9ec7bfgihjklmnoqpr",
                    "0148256c39ad7befgkophlmqijnr", "0h25438967cbadefg1klijopmnqr", "01i436587a9cbdefgh2mkojnlpqr",
                    "0123457698qrcdefghikjmlonpab", "012jklmnopibcdefgha3456789qr", "012345a7gh6jklmn89ibcdefopqr",
                    "0123896b45a7ghijcdefopqrklmn", "0145238967cdabghefklijopmnqr", "021436587a9cbedgfihkjmlonqpr"};
        29: best = {"1032547698badcfehgjilknmporqs", "23016745ab89efcdopklijsrghqnm", "45670123cdef89abihgjnpqkolmrs",
                    "89abcdef01234567mhsqolgnkpjri", "g21c8a9b46573edf0jkhilmnqposr", "0483165d2a9ec7bfgminkrhjosqlp",
                    "0148256c39ad7befgihjmokplnrqs", "0h25438967cbadefg1kmiljqornps", "01i436587a9cbdefgh2lkjonmqprs",
                    "0123457698qrsdefghikjmlonpabc", "012jkl6789ibcdefgha345nmpoqrs", "012345mnopajklefghibcd6789qrs",
                    "012345abgh67cdmn89ijopefklqrs", "0123896745abghijcdefklqropmns", "0145238967cdabghefklijopmnsrq",
                    "021436587a9cbedgfihkjmlonqpsr"};
        30: best = {"0216543e98badc7fhgjilknmporqts", "1024365cab897edsijghmnklqropft",
                    "345012687dcea9boklmnghijftsrqp", "7a98cdb0321645egfpqrotsnkhijml",
                    "f2179a83645edcb0kihogqprjmlnts", "037154628a9cbedfhgkjimlsoqptnr",
                    "0g324576b9a8dctf1ihkjlmonpqsre", "01h3674598bacsefg2ilmjkpqnordt",
                    "012436587a9cbdefghjilknmporqst", "012ijk7698pqrdefgh345mlonabcst",
                    "012345lmnohijkefgabcd6789pqrst", "012345abfg67cdl89hmnoeijkpqrst",
                    "0123896745abfghcdeijmpknqlorst", "0145238967cdabfeijghknmlorqpst",
                    "021436587a9cbedgfihkjmlonqpsrt"};
        31: best = {"0216543e98badc7uhgjilknmporqtsf", "1024365cab897edsijghmnklqropfut",
                    "345012687dcea9boklmnghijftsuqpr", "7a98cdb0321645egfpqrotsukhijmln",
                    "f2179a83645edcb0kihogqprjmlntsu", "037154628a9cbedfhgkjimlsoqptnru",
                    "0g324576b9a8dctf1ihkjlmonpqsreu", "01h3674598bacsefg2ilmjkpqnordtu",
                    "012436587a9cbdefghjilknmporqstu", "012ijk7698pqrdefgh345mlonabcstu",
                    "012345lmnohijkefgabcd6789pqrstu", "012345abfg67cdl89hinoeujkpqrstm",
                    "0123896745abfghcdemjkpinolurstq", "0145238967cdabfeijghmnklqroputs",
                    "021436587a9cbedgfihkjmlonqpsrut"};
        32: best = {"1032547698badcfehgjilknmporqtsvu", "23016745ab89efcdijghmnklqropuvst",
                    "45670123cdef89abklmnghijstuvopqr", "89abcdef01234567opqrstuvghijklmn",
                    "g21c8a9b46573edv0ihsoqprkmlnjutf", "0483165d2a9ec7bfgkojhmltiqpusnrv",
                    "0h48256c39ad7bufg1koilmsjpqtnrev", "01i5438967cbatefgh2lkjopmnsrqduv",
                    "012436587a9cbdefghikjmlonqpsrtuv", "012jkl7698qrsdefghi345nmpoabctuv",
                    "012345mnopijklefghabcd6789qrstuv", "012345abgh67cdmn89ijopefklqrstuv",
                    "0123896745abghijcdefklqropmnstuv", "0145238967cdabghefklijopmnstqruv",
                    "021436587a9cbedgfihkjmlonqpsrutv"};
    endcase
endfunction
