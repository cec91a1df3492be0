package io.reshard.sst;

import com.sun.management.ThreadMXBean;
import io.reshard.spi.ByteView;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import io.reshard.sst.BlockList.Block;
import io.reshard.sst.BlockList.Use;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * Reads files that somebody has harmed. Each input is a sound file of the matrix of formats with a
 * few mutations, of one of three kinds:
 *
 * <ul>
 *   <li>HARM: bytes changed, cut off, added, or taken from other files, checksums as they were: the
 *       right rows come out, or an error;
 *   <li>LIE: blocks changed and their checksums put right, so that the checks behind are reached:
 *       rows in order come out, or an error;
 *   <li>FORGE: the file put together anew with lies in its structure ({@link Forger}).
 * </ul>
 *
 * <p>All of it is read: entries, now and then those of a range, and range deletions.
 *
 * <p>The only errors allowed are CORRUPT and INCOMPATIBLE. Memory and the bytes read are bounded.
 * An input depends on seed and number only, so that each can be had again:
 *
 * <pre>
 *   java -Dreshard.seed=SEED ... io.reshard.sst.Fuzzer FIRST COUNT
 * </pre>
 */
final class Fuzzer {
  /** What one input may allocate; where it lies about sizes, two of the largest blocks more. */
  private static final long MOST_ALLOCATED = 24 << 20;

  private static final long MOST_ALLOCATED_ON_LIES =
      MOST_ALLOCATED + 2L * SstCursor.MAX_BLOCK_BYTES;

  private static final int ENTRIES = 60;

  /** A sound file, what it has, and the sequence number its database gives. */
  @SuppressWarnings("ArrayRecordComponent") // Handed over, not compared.
  record Sample(
      String name,
      byte[] file,
      List<Entry> entries,
      List<Entry> deletions,
      long sequence,
      BlockList list) {
    /** Whether checksums tell a block of another place or file. */
    boolean knowsPlaces() {
      return list.footer.formatVersion() >= Footer.CONTEXT_VERSION && hasChecksums();
    }

    boolean hasChecksums() {
      return list.footer.checksum() != BlockChecksum.NONE;
    }
  }

  enum Mutation {
    HARM,
    /** Harm that no checksum tells: there are none, or a block came whole from elsewhere. */
    UNPROTECTED,
    LIE,
    FORGE
  }

  enum Outcome {
    RIGHT,
    OTHER_ROWS,
    CORRUPT,
    INCOMPATIBLE
  }

  /**
   * A file to read.
   *
   * @param mayDiffer other rows than the sample's are no fault
   * @param tailOf whose tail it has, if not the sample's: its rows are right as well, as all that
   *     makes a difference may be of it
   */
  @SuppressWarnings("ArrayRecordComponent") // Handed over, not compared.
  private record Input(
      byte[] file, Sample sample, Mutation mutation, boolean mayDiffer, Sample tailOf) {}

  /** Counts of outcomes, and the most that any input took. */
  static final class Report {
    private final Map<Mutation, Map<Outcome, Long>> counts = new TreeMap<>();
    private long mostAllocated;
    private long mostRead;
    private long inputs;

    long count(Mutation mutation, Outcome outcome) {
      return counts.getOrDefault(mutation, Map.of()).getOrDefault(outcome, 0L);
    }

    long inputs() {
      return inputs;
    }

    private void add(Mutation mutation, Outcome outcome, long allocated, long read) {
      inputs++;
      Long unused =
          counts.computeIfAbsent(mutation, m -> new TreeMap<>()).merge(outcome, 1L, Long::sum);
      mostAllocated = Math.max(mostAllocated, allocated);
      mostRead = Math.max(mostRead, read);
    }

    @Override
    public String toString() {
      return inputs
          + " inputs: "
          + counts
          + "; most allocated "
          + mostAllocated
          + " bytes, most read "
          + mostRead
          + " bytes";
    }
  }

  private final List<Sample> samples;
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  Fuzzer(List<Sample> samples) {
    this.samples = samples;
  }

  /** Files of each cell of the matrix, written by RocksDB and here. */
  static List<Sample> samples(Path directory) throws RocksDBException, IOException {
    List<Sample> samples = new ArrayList<>();
    for (Cell cell : FormatMatrixTest.rocksCells(1108)) {
      List<Entry> entries = RocksPeer.entries(cell, ENTRIES);
      Path file = directory.resolve(samples.size() + ".sst");
      RocksPeer.write(cell, entries, file, directory.resolve("database" + samples.size()));
      long sequence = cell.is(RocksPeer.ORIGIN, "ingested") ? 2 : 0;
      samples.add(sample("RocksDB's " + cell, Files.readAllBytes(file), sequence));
    }
    Random random = new Random(Entry.seed());
    for (Cell cell : FormatMatrixTest.ourCells(List.of("5", "6", "7"))) {
      List<Entry> entries =
          cell.is("ingestible", "true")
              ? Entry.randomRows(random, ENTRIES)
              : Entry.randomEntries(random, ENTRIES, EntryType.values());
      byte[] file = write(random, cell, entries);
      samples.add(sample("ours " + cell, file, 0));
    }
    return samples;
  }

  /** Half of the files that may have them get range deletions. */
  private static byte[] write(Random random, Cell cell, List<Entry> entries) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (SstWriter writer = SstWriter.create("sample", out, FormatMatrixTest.options(cell))) {
      for (Entry entry : entries) {
        writer.add(
            new ByteView(Entry.bytes(entry.key())),
            entry.sequence(),
            entry.type(),
            new ByteView(Entry.bytes(entry.value())));
      }
      if (cell.is("ingestible", "false") && random.nextBoolean()) {
        for (int i = 0; i < 5; i++) {
          String begin = any(random, entries).key();
          long sequence = 1L + random.nextInt(1000);
          writer.add(new RangeDeletion(Entry.bytes(begin), Entry.bytes(begin + "end"), sequence));
        }
      }
      long unused = writer.finish();
    }
    return out.toByteArray();
  }

  /** Range deletions, end as value. */
  private static List<Entry> deletions(SstReader reader) {
    return reader.rangeDeletions().stream()
        .map(
            deletion ->
                new Entry(
                    Entry.text(deletion.begin()),
                    deletion.sequence(),
                    EntryType.DELETE,
                    Entry.text(deletion.end())))
        .toList();
  }

  private static Sample sample(String name, byte[] file, long sequence) {
    try (SstReader reader = SstReader.open(SstSource.ofBytes(name, file), sequence)) {
      return new Sample(
          name,
          file,
          Entry.readAll(reader.entries()),
          deletions(reader),
          sequence,
          new BlockList(file));
    }
  }

  /** Reads inputs {@code first} to {@code first + count - 1} of a seed. */
  Report run(long seed, long first, long count) {
    Report report = new Report();
    for (long number = first; number < first + count; number++) {
      Random random = new Random(seed * 1_000_003 + number);
      Input input = input(random);
      try {
        read(input, random, report);
      } catch (RuntimeException | Error e) {
        throw new AssertionError(
            "seed "
                + seed
                + ", input "
                + number
                + ", "
                + input.mutation
                + " of "
                + input.sample.name,
            e);
      }
    }
    return report;
  }

  private void read(Input input, Random random, Report report) {
    Metered source = new Metered(input.file);
    List<Entry> all = input.sample.entries;
    boolean range = random.nextInt(4) == 0 && !all.isEmpty();
    String from = range && random.nextBoolean() ? key(random, all) : null;
    String to = range ? key(random, all) : null;
    List<Entry> entries = new ArrayList<>();
    List<Entry> deletions = List.of();
    long before = threads.getCurrentThreadAllocatedBytes();
    Outcome outcome;
    long allocated;
    try {
      int rows = 0;
      try (SstReader reader = SstReader.open(source, input.sample.sequence);
          EntryCursor cursor = reader.entries(bytes(from), bytes(to))) {
        while (cursor.next()) {
          rows++;
        }
        rows += reader.rangeDeletions().size();
      }
      allocated = threads.getCurrentThreadAllocatedBytes() - before;
      try (SstReader reader = SstReader.open(new Metered(input.file), input.sample.sequence)) {
        entries = Entry.readAll(reader.entries(bytes(from), bytes(to)));
        deletions = deletions(reader);
        rows -= deletions.size();
      }
      if (rows != entries.size()) {
        throw new IllegalStateException(rows + " rows, and then " + entries.size());
      }
      outcome =
          entries.equals(all.stream().filter(entry -> within(entry, from, to)).toList())
                  && deletions.equals(input.sample.deletions)
              ? Outcome.RIGHT
              : Outcome.OTHER_ROWS;
    } catch (StateStoreException e) {
      allocated = threads.getCurrentThreadAllocatedBytes() - before;
      if (e.kind() != Kind.CORRUPT && e.kind() != Kind.INCOMPATIBLE) {
        throw e;
      }
      if (!String.valueOf(e.getMessage()).contains(Metered.NAME)) {
        throw new IllegalStateException("the error does not name the file", e);
      }
      outcome = e.kind() == Kind.CORRUPT ? Outcome.CORRUPT : Outcome.INCOMPATIBLE;
    }
    if (outcome == Outcome.OTHER_ROWS && sameRows(entries, input.tailOf.entries, from, to)) {
      outcome = Outcome.RIGHT;
    }
    if (outcome == Outcome.OTHER_ROWS) {
      checkRows(entries, from, to);
      if (!input.mayDiffer) {
        throw new IllegalStateException("wrong rows: " + entries.size() + " of " + all.size());
      }
    }
    boolean lies = input.mutation == Mutation.LIE || input.mutation == Mutation.FORGE;
    long most = lies ? MOST_ALLOCATED_ON_LIES : MOST_ALLOCATED;
    if (allocated > most) {
      throw new IllegalStateException("allocated " + allocated + " bytes, " + outcome);
    }
    if (source.read > 40L * input.file.length + (1 << 20)) {
      throw new IllegalStateException("read " + source.read + " of " + input.file.length);
    }
    report.add(input.mutation, outcome, allocated, source.read);
  }

  private static boolean sameRows(
      List<Entry> left, List<Entry> right, @Nullable String from, @Nullable String to) {
    List<Entry> wanted = right.stream().filter(entry -> within(entry, from, to)).toList();
    return left.stream()
        .map(Fuzzer::withoutSequence)
        .toList()
        .equals(wanted.stream().map(Fuzzer::withoutSequence).toList());
  }

  private static Entry withoutSequence(Entry entry) {
    return new Entry(entry.key(), 0, entry.type(), entry.value());
  }

  private static String key(Random random, List<Entry> entries) {
    return any(random, entries).key();
  }

  private static byte @Nullable [] bytes(@Nullable String text) {
    return text == null ? null : Entry.bytes(text);
  }

  private static boolean within(Entry entry, @Nullable String from, @Nullable String to) {
    return (from == null || entry.key().compareTo(from) >= 0)
        && (to == null || entry.key().compareTo(to) < 0);
  }

  /** Whatever the file says, what comes out is in order and within bounds. */
  private static void checkRows(List<Entry> entries, @Nullable String from, @Nullable String to) {
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      if (!within(entry, from, to)
          || entry.sequence() < 0
          || (i > 0 && Entry.ORDER.compare(entries.get(i - 1), entry) > 0)) {
        throw new IllegalStateException("row " + i + " is out of order: " + entry);
      }
    }
  }

  private Input input(Random random) {
    Sample sample = any(random, samples);
    return switch (random.nextInt(5)) {
      case 0, 1 -> harm(random, sample);
      case 2, 3 -> lie(random, sample);
      default -> {
        Forger forger = new Forger(random, sample.entries);
        yield new Input(
            forger.file(),
            new Sample("forged, " + forger, sample.file, sample.entries, List.of(), 0, sample.list),
            Mutation.FORGE,
            forger.lies(),
            sample);
      }
    };
  }

  private Input harm(Random random, Sample sample) {
    byte[] file = sample.file.clone();
    boolean moved = false;
    Sample tailOf = sample;
    for (int n = random.nextInt(3); n >= 0; n--) {
      int at = random.nextInt(file.length);
      int length = Math.min(file.length - at, 1 + random.nextInt(64));
      Sample otherSample = any(random, samples);
      byte[] other = otherSample.file;
      switch (random.nextInt(9)) {
        case 0, 1, 2 -> file[at] ^= (byte) (1 << random.nextInt(8));
        case 3 -> file[at] = (byte) random.nextInt(256);
        case 4 -> Arrays.fill(file, at, at + length, (byte) (random.nextInt(2) - 1));
        case 5 -> file = Arrays.copyOf(file, random.nextInt(8) == 0 ? at : file.length - length);
        case 6 -> {
          byte[] more = new byte[length];
          random.nextBytes(more);
          file = Forge.concat(file, more);
        }
        case 7 -> {
          // A piece of another file, of a block's size or any.
          int from = random.nextInt(other.length);
          int piece = Math.min(1 + random.nextInt(5000), Math.min(other.length, file.length));
          System.arraycopy(
              other,
              Math.min(from, other.length - piece),
              file,
              Math.min(at, file.length - piece),
              piece);
          moved = true;
        }
        default -> {
          // The head of one file and the tail of another.
          int cut = random.nextInt(Math.min(file.length, other.length));
          file =
              Forge.concat(Arrays.copyOf(file, cut), Arrays.copyOfRange(other, cut, other.length));
          moved = true;
          tailOf = otherSample;
        }
      }
      if (file.length == 0) {
        break;
      }
    }
    boolean mayDiffer = !tailOf.hasChecksums() || (moved && !tailOf.knowsPlaces());
    return new Input(
        file, sample, mayDiffer ? Mutation.UNPROTECTED : Mutation.HARM, mayDiffer, tailOf);
  }

  private Input lie(Random random, Sample sample) {
    byte[] file = sample.file.clone();
    Footer footer = sample.list.footer;
    for (int n = random.nextInt(3); n >= 0; n--) {
      Block block = block(random, sample.list);
      change(random, file, block);
      BlockChecksum checksum = new BlockChecksum(footer.checksum());
      Bytes.putInt(
          file,
          block.offset() + block.size() + 1,
          checksum.compute(file, block.offset(), block.size() + 1)
              + BlockChecksum.context(footer.contextBase(), block.offset()));
    }
    return new Input(file, sample, Mutation.LIE, true, sample);
  }

  static <T> T any(Random random, List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  /** Any block, of each use about as often. */
  private static Block block(Random random, BlockList list) {
    Use use = any(random, List.of(Use.values()));
    List<Block> blocks = list.blocks.stream().filter(block -> block.use() == use).toList();
    return blocks.isEmpty() ? list.blocks.get(0) : any(random, blocks);
  }

  /** Changes a few bytes of a block, or its type. */
  private static void change(Random random, byte[] file, Block block) {
    int start = block.offset();
    int end = start + block.size();
    if (block.size() == 0) {
      return;
    }
    int at = start + random.nextInt(block.size());
    switch (random.nextInt(9)) {
      case 0, 1 -> file[at] ^= (byte) (1 << random.nextInt(8));
      case 2 -> file[at] = (byte) random.nextInt(256);
      case 3 -> Arrays.fill(file, at, Math.min(end, at + 1 + random.nextInt(10)), (byte) 0xff);
      case 4 -> put(file, at, end, Bytes.varint(1L << (7 * random.nextInt(9) + 6)));
      case 5 -> put(file, at, end, Forge.ints(1 << random.nextInt(32)));
      case 6 -> {
        // The tail: a restart, the number of them, or a bit of the word.
        int word = Math.max(start, end - 4 * (1 + random.nextInt(4)));
        put(file, word, end, Forge.ints(random.nextInt(300)));
      }
      case 7 -> {
        // Claims another size, where it is compressed.
        put(file, start, end, Bytes.varint(random.nextLong() >>> (20 + random.nextInt(44))));
      }
      default -> file[end] = (byte) random.nextInt(9);
    }
  }

  private static void put(byte[] file, int at, int end, byte[] bytes) {
    System.arraycopy(bytes, 0, file, at, Math.min(bytes.length, end - at));
  }

  /** A file in memory that counts what is read of it. */
  private static final class Metered extends ForwardingSource {
    static final String NAME = "harmed.sst";

    long read;

    Metered(byte[] file) {
      super(SstSource.ofBytes(NAME, file));
    }

    @Override
    public void read(long position, byte[] target, int offset, int length) {
      read += length;
      super.read(position, target, offset, length);
    }
  }

  /** Reads as many inputs as asked for and prints what came of them. */
  public static void main(String[] arguments) throws RocksDBException, IOException {
    long first = Long.parseLong(arguments[0]);
    long count = Long.parseLong(arguments[1]);
    Path directory = Files.createTempDirectory("fuzzer");
    Fuzzer fuzzer = new Fuzzer(samples(directory));
    System.out.println("seed " + Entry.seed() + ", " + fuzzer.run(Entry.seed(), first, count));
  }
}
