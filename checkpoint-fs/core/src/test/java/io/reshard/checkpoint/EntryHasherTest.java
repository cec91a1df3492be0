package io.reshard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import com.sun.management.ThreadMXBean;
import io.reshard.spi.ByteView;
import io.reshard.sst.EntryType;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EntryHasherTest {
  /** Every length class of XXH3, and where each begins and ends. */
  @Test
  void isTheHashOfTheLibraryAtEveryLength() {
    Random random = new Random(7);
    EntryHasher hasher = new EntryHasher("default", 0);
    for (int length = 0; length < 1200; length++) {
      byte[] input = new byte[length];
      random.nextBytes(input);
      HashValue128 expected = Hashing.xxh3_128().hashBytesTo128Bits(input);
      hasher.hash(input, length);
      assertThat(hasher.high())
          .as("length %s", length)
          .isEqualTo(expected.getMostSignificantBits());
      assertThat(hasher.low())
          .as("length %s", length)
          .isEqualTo(expected.getLeastSignificantBits());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"a", "default", "a-name-of-sixty-four-characters-0123456789012345678901234567890"})
  void laysEntriesOutAsTheFormatSays(String columnFamily) throws IOException {
    Random random = new Random(8);
    for (int prefix : new int[] {0, 2}) {
      EntryHasher hasher = new EntryHasher(columnFamily, prefix);
      // Growing and shrinking: nothing of the entry before may be left.
      for (int size : new int[] {0, 3000, 100, 1, 10_000, 17, 0}) {
        for (EntryType type : new EntryType[] {EntryType.PUT, EntryType.DELETE}) {
          byte[] key = new byte[prefix + random.nextInt(40)];
          byte[] value = new byte[type == EntryType.PUT ? size : 0];
          random.nextBytes(key);
          random.nextBytes(value);
          hasher.hash(type, new ByteView(key), new ByteView(value));
          SetDigest digest = new SetDigest();
          digest.add(hasher);
          HashValue128 expected =
              Hashing.xxh3_128()
                  .hashBytesTo128Bits(laidOut(columnFamily, type, key, prefix, value));
          assertThat(digest)
              .isEqualTo(
                  SetDigest.of(
                      1, expected.getMostSignificantBits(), expected.getLeastSignificantBits()));
        }
      }
    }
  }

  private static byte[] laidOut(
      String columnFamily, EntryType type, byte[] key, int prefix, byte[] value)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeByte(type.code());
    out.writeByte(columnFamily.length());
    out.writeBytes(columnFamily);
    out.writeInt(key.length - prefix);
    out.write(key, prefix, key.length - prefix);
    out.write(value);
    return bytes.toByteArray();
  }

  @Test
  void allocatesNothingPerEntry() {
    int entries = 200_000;
    EntryHasher hasher = new EntryHasher("default", 0);
    SetDigest digest = new SetDigest();
    ByteView key = new ByteView(new byte[20]);
    byte[] bytes = new byte[200];
    ByteView value = new ByteView(bytes);
    long before = allocated();
    for (int i = 0; i < entries; i++) {
      value.set(bytes, 0, i % 200);
      hasher.hash(EntryType.PUT, key, value);
      digest.add(hasher);
    }
    // An object for each would be 16 times as much or more.
    assertThat(allocated() - before).isLessThan(entries);
    assertThat(digest.count()).isEqualTo(entries);
  }

  private static long allocated() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }
}
