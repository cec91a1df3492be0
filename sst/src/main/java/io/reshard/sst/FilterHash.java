package io.reshard.sst;

import java.util.HexFormat;

/**
 * The 64-bit hash of RocksDB's filters: XXH3 as it was before its release (xxHash 0.7.2, seed 0),
 * which RocksDB keeps for good under the name XXPH3 (util/xxph3.h), with one change of its own: the
 * hash of nothing is not zero. The released XXH3 that libraries have differs from it in every
 * length class.
 *
 * <p>Allocates nothing. All arithmetic is modulo 2^64.
 */
final class FilterHash {
  private static final long PRIME32_1 = 0x9e3779b1L;
  private static final long PRIME32_2 = 0x85ebca77L;
  private static final long PRIME32_3 = 0xc2b2ae3dL;
  private static final long PRIME64_1 = 0x9e3779b185ebca87L;
  private static final long PRIME64_2 = 0xc2b2ae3d27d4eb4fL;
  private static final long PRIME64_3 = 0x165667b19e3779f9L;
  private static final long PRIME64_4 = 0x85ebca77c2b2ae63L;
  private static final long PRIME64_5 = 0x27d4eb2f165667c5L;

  private static final int STRIPE = 64;
  private static final int SECRET_STEP = 8;
  private static final int SHORTEST_SECRET = 136;

  /** The secret of XXH3, a constant of its specification. */
  private static final byte[] SECRET =
      HexFormat.of()
          .parseHex(
              "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
                  + "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
                  + "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
                  + "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
                  + "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
                  + "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e");

  private static final int LAST_STRIPE_SECRET = SECRET.length - STRIPE;
  private static final int STRIPES_PER_BLOCK = LAST_STRIPE_SECRET / SECRET_STEP;

  private FilterHash() {}

  static long hash(byte[] array, int offset, int length) {
    if (length <= 16) {
      return hashTo16(array, offset, length);
    }
    if (length <= 128) {
      return hashTo128(array, offset, length);
    }
    return length <= 240 ? hashTo240(array, offset, length) : hashLong(array, offset, length);
  }

  private static long hashTo16(byte[] a, int at, int length) {
    if (length > 8) {
      long low = Bytes.getLong(a, at) ^ secret(0);
      long high = Bytes.getLong(a, at + length - 8) ^ secret(8);
      return avalanche(length + low + high + foldedProduct(low, high));
    }
    if (length >= 4) {
      long low = Bytes.getInt(a, at) & 0xffffffffL;
      long high = Bytes.getInt(a, at + length - 4) & 0xffffffffL;
      long keyed = (low | high << 32) ^ secret(0);
      long mixed = length + (keyed ^ (keyed >>> 51)) * PRIME32_1;
      return avalanche((mixed ^ (mixed >>> 47)) * PRIME64_2);
    }
    if (length > 0) {
      long first = a[at] & 0xff;
      long middle = a[at + (length >> 1)] & 0xff;
      long last = a[at + length - 1] & 0xff;
      long combined = first | middle << 8 | last << 16 | (long) length << 24;
      return avalanche((combined ^ (secret(0) & 0xffffffffL)) * PRIME64_1);
    }
    return foldedProduct(secret(0), PRIME64_2);
  }

  private static long hashTo128(byte[] a, int at, int length) {
    long sum = length * PRIME64_1;
    int end = at + length;
    for (int i = (length - 1) / 32; i >= 0; i--) {
      sum += mix16(a, at + 16 * i, 32 * i);
      sum += mix16(a, end - 16 * (i + 1), 32 * i + 16);
    }
    return avalanche(sum);
  }

  private static long hashTo240(byte[] a, int at, int length) {
    long sum = length * PRIME64_1;
    for (int i = 0; i < 8; i++) {
      sum += mix16(a, at + 16 * i, 16 * i);
    }
    sum = avalanche(sum);
    for (int i = 8; i < length / 16; i++) {
      sum += mix16(a, at + 16 * i, 16 * (i - 8) + 3);
    }
    sum += mix16(a, at + length - 16, SHORTEST_SECRET - 17);
    return avalanche(sum);
  }

  /** Eight lanes, kept in locals so that nothing is allocated. */
  private static long hashLong(byte[] a, int at, int length) {
    long lane0 = PRIME32_3;
    long lane1 = PRIME64_1;
    long lane2 = PRIME64_2;
    long lane3 = PRIME64_3;
    long lane4 = PRIME64_4;
    long lane5 = PRIME32_2;
    long lane6 = PRIME64_5;
    long lane7 = PRIME32_1;
    int stripes = length / STRIPE;
    boolean partial = length % STRIPE != 0;
    for (int n = 0; n < stripes + (partial ? 1 : 0); n++) {
      boolean last = n == stripes;
      int p = last ? at + length - STRIPE : at + n * STRIPE;
      int s = last ? LAST_STRIPE_SECRET - 7 : n % STRIPES_PER_BLOCK * SECRET_STEP;
      lane0 += lane(a, p, s);
      lane1 += lane(a, p + 8, s + 8);
      lane2 += lane(a, p + 16, s + 16);
      lane3 += lane(a, p + 24, s + 24);
      lane4 += lane(a, p + 32, s + 32);
      lane5 += lane(a, p + 40, s + 40);
      lane6 += lane(a, p + 48, s + 48);
      lane7 += lane(a, p + 56, s + 56);
      if (!last && n % STRIPES_PER_BLOCK == STRIPES_PER_BLOCK - 1) {
        lane0 = scramble(lane0, 0);
        lane1 = scramble(lane1, 8);
        lane2 = scramble(lane2, 16);
        lane3 = scramble(lane3, 24);
        lane4 = scramble(lane4, 32);
        lane5 = scramble(lane5, 40);
        lane6 = scramble(lane6, 48);
        lane7 = scramble(lane7, 56);
      }
    }
    long sum = length * PRIME64_1;
    sum += foldedProduct(lane0 ^ secret(11), lane1 ^ secret(19));
    sum += foldedProduct(lane2 ^ secret(27), lane3 ^ secret(35));
    sum += foldedProduct(lane4 ^ secret(43), lane5 ^ secret(51));
    sum += foldedProduct(lane6 ^ secret(59), lane7 ^ secret(67));
    return avalanche(sum);
  }

  private static long lane(byte[] a, int at, int secretAt) {
    long data = Bytes.getLong(a, at);
    long keyed = data ^ secret(secretAt);
    return data + (keyed & 0xffffffffL) * (keyed >>> 32);
  }

  private static long scramble(long lane, int secretAt) {
    return (lane ^ (lane >>> 47) ^ secret(LAST_STRIPE_SECRET + secretAt)) * PRIME32_1;
  }

  private static long mix16(byte[] a, int at, int secretAt) {
    return foldedProduct(
        Bytes.getLong(a, at) ^ secret(secretAt), Bytes.getLong(a, at + 8) ^ secret(secretAt + 8));
  }

  private static long secret(int at) {
    return Bytes.getLong(SECRET, at);
  }

  private static long avalanche(long hash) {
    long mixed = (hash ^ (hash >>> 37)) * PRIME64_3;
    return mixed ^ (mixed >>> 32);
  }

  /** Both halves of the unsigned 128-bit product, exclusive-or. */
  private static long foldedProduct(long x, long y) {
    long high = Math.multiplyHigh(x, y) + ((x >> 63) & y) + ((y >> 63) & x);
    return high ^ (x * y);
  }
}
