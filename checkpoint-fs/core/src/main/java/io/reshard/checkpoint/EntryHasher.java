package io.reshard.checkpoint;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hasher128;
import com.dynatrace.hash4j.hashing.Hashing;
import io.reshard.spi.ByteView;
import io.reshard.sst.EntryType;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Hashes the entries of one column family for a {@link SetDigest}, which says of which bytes. What
 * is the same for every entry is laid out once; an entry is laid behind it and hashed in one go, so
 * that an entry costs two copies and a hash. Used by one thread, for any number of digests.
 *
 * <p>Every row of a repartition is hashed twice, so the hash is a good part of its cost. Rows of
 * usual size are hashed here: the same XXH3-128, as fast as the library and without the 32 bytes of
 * garbage that it makes of each of them; all other sizes are left to it.
 */
public final class EntryHasher {
  private static final Hasher128 LIBRARY = Hashing.xxh3_128();
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private static final long PRIME64_1 = 0x9e3779b185ebca87L;
  private static final long PRIME64_2 = 0xc2b2ae3d27d4eb4fL;
  private static final long PRIME64_4 = 0x85ebca77c2b2ae63L;
  private static final long AVALANCHE = 0x165667919e3779f9L;

  /** Least and most bytes that are hashed here. */
  private static final int SHORTEST = 17;

  private static final int LONGEST = 240;

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

  /** The words of the secret at offsets 0, 8, 16 …; at 3, 11 …; and at 103, 111 …. */
  private static final long[] FRONT = words(0, 16);

  private static final long[] MIDDLE = words(3, 12);
  private static final long[] LAST = words(103, 4);

  private final String columnFamily;
  private final int keyPrefix;
  private final int keyAt;
  private byte[] bytes;
  private long high;
  private long low;

  /**
   * A hasher.
   *
   * @param keyPrefix bytes at the front of every key that do not count: 2 where a slot is in front,
   *     else 0
   */
  public EntryHasher(String columnFamily, int keyPrefix) {
    byte[] name = columnFamily.getBytes(StandardCharsets.US_ASCII);
    this.columnFamily = columnFamily;
    this.keyPrefix = keyPrefix;
    this.keyAt = 2 + name.length + Integer.BYTES;
    this.bytes = new byte[Math.max(256, 2 * keyAt)];
    bytes[1] = (byte) name.length;
    System.arraycopy(name, 0, bytes, 2, name.length);
  }

  /** Whether it is for these entries. */
  boolean isFor(String columnFamily, int keyPrefix) {
    return this.keyPrefix == keyPrefix && this.columnFamily.equals(columnFamily);
  }

  /** Hashes an entry; {@link #high} and {@link #low} tell until the next one. */
  public void hash(EntryType type, ByteView key, ByteView value) {
    int keyLength = key.length() - keyPrefix;
    int valueAt = keyAt + keyLength;
    int length = valueAt + value.length();
    if (bytes.length < length) {
      bytes = Arrays.copyOf(bytes, Math.max(length, 2 * bytes.length));
    }
    byte[] laidOut = bytes;
    laidOut[0] = (byte) type.code();
    INTS.set(laidOut, keyAt - Integer.BYTES, keyLength);
    System.arraycopy(key.array(), key.offset() + keyPrefix, laidOut, keyAt, keyLength);
    System.arraycopy(value.array(), value.offset(), laidOut, valueAt, value.length());
    hash(laidOut, length);
  }

  /** Hashes the first {@code length} bytes. */
  void hash(byte[] input, int length) {
    if (length < SHORTEST || length > LONGEST) {
      HashValue128 hash = LIBRARY.hashBytesTo128Bits(input, 0, length);
      high = hash.getMostSignificantBits();
      low = hash.getLeastSignificantBits();
    } else if (length <= 128) {
      hashTo128(input, length);
    } else {
      hashTo240(input, length);
    }
  }

  /** Upper 64 bits of the last hash. */
  long high() {
    return high;
  }

  /** Lower 64 bits of the last hash. */
  long low() {
    return low;
  }

  private void hashTo128(byte[] input, int length) {
    long left = length * PRIME64_1;
    long right = 0;
    for (int i = (length - 1) / 32; i >= 0; i--) {
      int front = 16 * i;
      int back = length - 16 - front;
      left = (left + mix16(input, front, FRONT, 4 * i)) ^ sum16(input, back);
      right = (right + mix16(input, back, FRONT, 4 * i + 2)) ^ sum16(input, front);
    }
    finish(left, right, length);
  }

  private void hashTo240(byte[] input, int length) {
    long left = length * PRIME64_1;
    long right = 0;
    for (int i = 0; i < 4; i++) {
      int at = 32 * i;
      left = (left + mix16(input, at, FRONT, 4 * i)) ^ sum16(input, at + 16);
      right = (right + mix16(input, at + 16, FRONT, 4 * i + 2)) ^ sum16(input, at);
    }
    left = avalanche(left);
    right = avalanche(right);
    for (int i = 4; i < length / 32; i++) {
      int at = 32 * i;
      left = (left + mix16(input, at, MIDDLE, 4 * i - 16)) ^ sum16(input, at + 16);
      right = (right + mix16(input, at + 16, MIDDLE, 4 * i - 14)) ^ sum16(input, at);
    }
    int last = length - 16;
    left = (left + mix16(input, last, LAST, 0)) ^ sum16(input, last - 16);
    right = (right + mix16(input, last - 16, LAST, 2)) ^ sum16(input, last);
    finish(left, right, length);
  }

  private void finish(long left, long right, int length) {
    low = avalanche(left + right);
    high = -avalanche(left * PRIME64_1 + right * PRIME64_4 + length * PRIME64_2);
  }

  private static long mix16(byte[] input, int at, long[] secret, int word) {
    return foldedProduct(
        (long) LONGS.get(input, at) ^ secret[word],
        (long) LONGS.get(input, at + 8) ^ secret[word + 1]);
  }

  private static long sum16(byte[] input, int at) {
    return (long) LONGS.get(input, at) + (long) LONGS.get(input, at + 8);
  }

  /** Both halves of the unsigned 128-bit product, exclusive-or. */
  private static long foldedProduct(long x, long y) {
    long upper = Math.multiplyHigh(x, y) + ((x >> 63) & y) + ((y >> 63) & x);
    return upper ^ (x * y);
  }

  private static long avalanche(long hash) {
    long mixed = (hash ^ (hash >>> 37)) * AVALANCHE;
    return mixed ^ (mixed >>> 32);
  }

  private static long[] words(int at, int count) {
    long[] words = new long[count];
    for (int i = 0; i < count; i++) {
      words[i] = (long) LONGS.get(SECRET, at + 8 * i);
    }
    return words;
  }
}
