package io.reshard.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * RocksJava with a snapshot at every commit, as stream processors make them: a checkpoint, of which
 * the files that are new are copied into a store under their SHA-256, forced to disk, and named in
 * a list. A restore copies them back, compares the SHA-256 and opens the database.
 */
final class LiveRocksSnapshots implements LiveStore {
  private final Path directory;
  private final LiveRocks rocks;

  /** SHA-256 of SST files that are in the store, by their names in the database. */
  private final Map<String, String> known = new HashMap<>();

  private int commits;

  LiveRocksSnapshots(Path directory) throws IOException, RocksDBException {
    this.directory = directory;
    Files.createDirectories(directory.resolve("store"));
    this.rocks = new LiveRocks(Files.createDirectories(directory.resolve("work")), false);
  }

  @Override
  public void put(byte[] key, byte[] value) throws RocksDBException {
    rocks.put(key, value);
  }

  @Override
  public void commit() throws RocksDBException, IOException {
    rocks.commit();
    rocks.flush();
    Path checkpoint = directory.resolve("checkpoint");
    rocks.checkpoint(checkpoint);
    List<String> list = new ArrayList<>();
    for (Path file : files(checkpoint)) {
      String name = file.getFileName().toString();
      String sha256 = known.get(name);
      if (sha256 == null) {
        sha256 = copy(file, directory.resolve("incoming"));
        Files.move(
            directory.resolve("incoming"), stored(sha256), StandardCopyOption.REPLACE_EXISTING);
        if (name.endsWith(".sst")) {
          known.put(name, sha256);
        }
      }
      list.add(name + " " + sha256);
    }
    try (FileChannel out =
        FileChannel.open(
            directory.resolve("store/version-" + ++commits),
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.WRITE)) {
      Channels.newOutputStream(out)
          .write(String.join("\n", list).getBytes(StandardCharsets.US_ASCII));
      out.force(true);
    }
    try (FileChannel store = FileChannel.open(directory.resolve("store"))) {
      store.force(true);
    }
    Directories.delete(checkpoint);
  }

  private Path stored(String sha256) {
    return directory.resolve("store").resolve(sha256);
  }

  private static List<Path> files(Path checkpoint) throws IOException {
    try (Stream<Path> files = Files.list(checkpoint)) {
      return files.toList();
    }
  }

  private static String copy(Path from, Path to) throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
    try (InputStream in = Files.newInputStream(from);
        FileChannel channel =
            FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        OutputStream out = Channels.newOutputStream(channel)) {
      byte[] buffer = new byte[256 << 10];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        digest.update(buffer, 0, n);
        out.write(buffer, 0, n);
      }
      channel.force(true);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Opens the last version in a directory of its own, reads a key, and closes it. */
  byte @Nullable [] restore(byte[] key) throws IOException, RocksDBException {
    Path target = Files.createDirectories(directory.resolve("restored"));
    for (String line : Files.readAllLines(directory.resolve("store/version-" + commits))) {
      String[] words = line.split(" ", -1);
      if (!copy(stored(words[1]), target.resolve(words[0])).equals(words[1])) {
        throw new IOException(words[0] + " is damaged");
      }
    }
    byte @Nullable [] value;
    try (LiveRocks restored = new LiveRocks(target, false)) {
      value = restored.get(key);
    }
    Directories.delete(target);
    return value;
  }

  @Override
  public void flush() throws RocksDBException {
    rocks.flush();
  }

  @Override
  public byte @Nullable [] get(byte[] key) throws RocksDBException {
    return rocks.get(key);
  }

  @Override
  public byte[] @Nullable [] multiGet(byte[][] keys) throws RocksDBException {
    return rocks.multiGet(keys);
  }

  @Override
  public long scan(boolean forward) throws RocksDBException {
    return rocks.scan(forward);
  }

  @Override
  public long scanPrefix(byte[] prefix) throws RocksDBException {
    return rocks.scanPrefix(prefix);
  }

  @Override
  public void close() {
    rocks.close();
  }
}
