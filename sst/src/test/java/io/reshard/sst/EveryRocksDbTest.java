package io.reshard.sst;

import static org.assertj.core.api.Assertions.assertThat;

import io.reshard.sst.RocksDirectory.Member;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A directory made of SST files, opened by releases of RocksDB from 8 to 11, each in a process of
 * its own with its own library. The build copies them into {@code target/rocksdb}.
 */
@Tag("slow")
class EveryRocksDbTest {
  private static final HexFormat HEX = HexFormat.of();

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"8.3.2", "9.8.4", "10.10.1", "11.1.2", "11.8.1"})
  void opens(String release) throws Exception {
    Path database = Files.createDirectory(directory.resolve("database"));
    Path expected = write(database);
    Path jar =
        Path.of(System.getProperty("reshard.rocksdb.jars", "target/rocksdb"))
            .resolve("rocksdbjni-" + release + ".jar")
            .toAbsolutePath();
    assertThat(jar).as("copied by the build in profile slow").exists();
    Path classes =
        Path.of(OpenedDirectory.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path output = directory.resolve("output");

    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + directory,
                "-cp",
                classes + System.getProperty("path.separator") + jar,
                OpenedDirectory.class.getName(),
                database.toString(),
                expected.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    int exit = process.waitFor();

    assertThat(Files.readString(output))
        .as("%s, exit %d, seed %s", release, exit, Entry.seed())
        .isEqualTo("opened\n");
  }

  /** Several column families, levels, overlaps, compressions, deletes; returns what to expect. */
  private Path write(Path database) throws IOException {
    Random random = new Random(Entry.seed());
    List<String> families = List.of("default", "orders", "timers", "without rows");
    List<Member> members = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    long number = 8;
    for (String family : families) {
      expected.add(family.replace(' ', '-'));
    }
    for (String family : families.subList(0, 3)) {
      List<Entry> all = new ArrayList<>();
      for (int level : new int[] {6, 5, 0, 0, 0}) {
        long base = (6 - level) * 100_000L + number * 1_000_000L;
        List<Entry> entries =
            Entry.randomEntries(random, 300, EntryType.PUT, EntryType.PUT, EntryType.DELETE)
                .stream()
                .map(e -> new Entry(e.key(), e.sequence() % 90_000 + base, e.type(), e.value()))
                .sorted(Entry.ORDER)
                .toList();
        all.addAll(entries);
        members.add(member(database, family, number++, level, entries));
      }
      for (Entry row : Entry.rowsOf(all)) {
        expected.add(family + " " + hex(row.key()) + " " + hex(row.value()));
      }
    }
    RocksDirectory.write(
        database, families.stream().map(name -> name.replace(' ', '-')).toList(), members);
    return Files.write(directory.resolve("expected"), expected);
  }

  private static String hex(String text) {
    return HEX.formatHex(Entry.bytes(text));
  }

  private static Member member(
      Path database, String family, long number, int level, List<Entry> entries) {
    List<Compression> compressions = List.of(Compression.NONE, Compression.LZ4, Compression.ZSTD);
    SstWriterOptions options =
        new SstWriterOptions(
            family,
            compressions.get((int) (number % 3)),
            1024,
            16,
            5,
            number % 2 == 0 ? SstWriterOptions.Checksum.CRC32C : SstWriterOptions.Checksum.XXH3,
            false);
    Path file = Entry.write(database.resolve(RocksDirectory.fileName(number)), options, entries);
    return Entry.member(file, family, number, level, entries);
  }
}
