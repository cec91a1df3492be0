package io.reshard.benchmarks;

import io.reshard.checkpoint.ObjectInfo;
import io.reshard.checkpoint.ObjectStore;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.ForwardingSource;
import io.reshard.sst.SstSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * An object store in which many data files seem to be that are nowhere: they have a name, a size
 * and a time, and are listed in order among the real ones; opening one fails. Everything else is
 * the real object store's. Counts requests. Thread-safe.
 *
 * <p>The i-th of F faked files has a SHA-256 whose first 64 bits are {@code i * ⌊2^64 / F⌋}, so
 * that names are spread as hashes are, stand in order of i, and i can be told from a name.
 */
final class FakedFiles implements ObjectStore {
  /** Bytes a faked file is said to have: one a writer has ended at its greatest size. */
  static final long FILE_BYTES = 64L << 20;

  private static final String FILES = "files/";

  private final ObjectStore real;
  private final int count;
  private final long modifiedMillis;
  private final long step;
  private final BitSet deleted = new BitSet();
  private final LongAdder opens = new LongAdder();
  private final LongAdder reads = new LongAdder();
  private final LongAdder looks = new LongAdder();
  private final LongAdder puts = new LongAdder();
  private final LongAdder lists = new LongAdder();
  private final LongAdder deletes = new LongAdder();

  /**
   * @param count number of faked files
   * @param modifiedMillis when they are said to have been created
   */
  FakedFiles(ObjectStore real, int count, long modifiedMillis) {
    this.real = real;
    this.count = count;
    this.modifiedMillis = modifiedMillis;
    this.step = Long.divideUnsigned(-1L, count);
  }

  /** SHA-256 a faked file is said to have. */
  String sha256(int number) {
    StringBuilder digits = new StringBuilder(64);
    append(digits, number * step);
    append(digits, mix(number));
    append(digits, mix(~number));
    append(digits, mix(number * 3L));
    return digits.toString();
  }

  private static void append(StringBuilder digits, long bits) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      digits.append(Character.forDigit((int) (bits >>> shift) & 15, 16));
    }
  }

  /** Bits without a pattern, by the finalizer of SplitMix64. */
  static long mix(long number) {
    long bits = (number + 1) * 0x9e3779b97f4a7c15L;
    bits = (bits ^ (bits >>> 30)) * 0xbf58476d1ce4e5b9L;
    bits = (bits ^ (bits >>> 27)) * 0x94d049bb133111ebL;
    return bits ^ (bits >>> 31);
  }

  /** Object name of a faked file. */
  String name(int number) {
    String sha256 = sha256(number);
    return FILES + sha256.substring(0, 2) + "/" + sha256 + ".sst";
  }

  /** Requests by kind since the last call, in the order of {@link Requests}. */
  Requests takeRequests() {
    return new Requests(
        opens.sumThenReset(),
        reads.sumThenReset(),
        looks.sumThenReset(),
        puts.sumThenReset(),
        lists.sumThenReset(),
        deletes.sumThenReset());
  }

  /**
   * Requests made.
   *
   * @param opens objects opened
   * @param reads ranges read
   * @param looks sizes and times asked for
   * @param puts objects created
   * @param lists pages listed
   * @param deletes objects deleted
   */
  record Requests(long opens, long reads, long looks, long puts, long lists, long deletes) {
    long all() {
      return opens + reads + looks + puts + lists + deletes;
    }
  }

  @Override
  public String location() {
    return real.location();
  }

  @Override
  public @Nullable SstSource open(String name) {
    opens.increment();
    if (numberOf(name) >= 0) {
      throw StateStoreException.internal("'" + name + "' is faked and was to be read", null);
    }
    SstSource source = real.open(name);
    return source == null ? null : new Counted(source);
  }

  private final class Counted extends ForwardingSource {
    Counted(SstSource source) {
      super(source);
    }

    @Override
    public void read(long position, byte[] target, int at, int length) {
      reads.increment();
      super.read(position, target, at, length);
    }
  }

  /** The number of a faked file that is there; -1 for any other name. */
  private int numberOf(String name) {
    if (!name.startsWith(FILES) || name.length() != FILES.length() + 3 + 64 + 4) {
      return -1;
    }
    long bits;
    try {
      bits = Long.parseUnsignedLong(name, FILES.length() + 3, FILES.length() + 19, 16);
    } catch (NumberFormatException e) {
      return -1;
    }
    long number = Long.divideUnsigned(bits, step);
    return number < count && name((int) number).equals(name) && isThere((int) number)
        ? (int) number
        : -1;
  }

  private boolean isThere(int number) {
    synchronized (deleted) {
      return !deleted.get(number);
    }
  }

  @Override
  public @Nullable ObjectInfo info(String name) {
    looks.increment();
    return numberOf(name) >= 0 ? new ObjectInfo(name, FILE_BYTES, modifiedMillis) : real.info(name);
  }

  @Override
  public boolean putIfAbsent(String name, byte[] content) {
    puts.increment();
    return real.putIfAbsent(name, content);
  }

  @Override
  public boolean putIfAbsent(String name, Path file) {
    puts.increment();
    return real.putIfAbsent(name, file);
  }

  @Override
  public List<ObjectInfo> list(String prefix, String after, int limit) {
    lists.increment();
    List<ObjectInfo> found = real.list(prefix, after, limit);
    return prefix.equals(FILES) ? merged(found, after, limit) : found;
  }

  private List<ObjectInfo> merged(List<ObjectInfo> found, String after, int limit) {
    List<ObjectInfo> merged = new ArrayList<>(limit);
    int next = firstAfter(after);
    int other = 0;
    while (merged.size() < limit && (next < count || other < found.size())) {
      String name = next < count ? name(next) : "~";
      if (other < found.size() && found.get(other).name().compareTo(name) < 0) {
        merged.add(found.get(other++));
      } else {
        if (isThere(next)) {
          merged.add(new ObjectInfo(name, FILE_BYTES, modifiedMillis));
        }
        next++;
      }
    }
    return merged;
  }

  private int firstAfter(String after) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (name(middle).compareTo(after) > 0) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  @Override
  public void delete(String name) {
    deletes.increment();
    int number = numberOf(name);
    if (number < 0) {
      real.delete(name);
    } else {
      synchronized (deleted) {
        deleted.set(number);
      }
    }
  }

  @Override
  public Path stagingDirectory() {
    return real.stagingDirectory();
  }

  @Override
  public void close() {
    real.close();
  }
}
