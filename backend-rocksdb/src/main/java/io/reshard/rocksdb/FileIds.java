package io.reshard.rocksdb;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The names for life of a database's SST files.
 *
 * <p>A file's number says little: a copy of the directory, or an older state of it brought back,
 * goes on counting from the same number and writes other bytes under it. So a file exported for the
 * first time gets a name made of 128 random bits of this opening of the database and its number; an
 * imported file keeps the name it came with. Names are kept in the database's directory, so that an
 * export after a restart still knows what the snapshot store has. Losing them is harmless: files
 * are then exported once more, under new names. That is why they are not forced to disk, and damage
 * to them is no error.
 *
 * <p>{@code RESHARD-FILES} is text: a line {@code NUMBER NAME} for each file, and a last line
 * {@code crc32c HHHHHHHH} of the bytes before it. RocksDB ignores files of names it does not know.
 */
final class FileIds {
  private static final Logger LOGGER = LoggerFactory.getLogger(FileIds.class);
  private static final String FILE = "RESHARD-FILES";
  private static final Pattern LINE = Pattern.compile("([0-9]{1,18}) (\\S+)");
  private static final SecureRandom RANDOM = new SecureRandom();

  /** A million files of 64 MiB are 64 TiB in one shard. */
  private static final long MAX_FILE_BYTES = 64 << 20;

  private final String opening;
  private final Map<Long, String> ids = new TreeMap<>();

  /** No names yet. */
  FileIds() {
    byte[] random = new byte[16];
    RANDOM.nextBytes(random);
    opening = HexFormat.of().formatHex(random);
  }

  /** The names kept in a database's directory. */
  static FileIds load(Path database) {
    FileIds loaded = new FileIds();
    Path file = database.resolve(FILE);
    try {
      if (Files.size(file) > MAX_FILE_BYTES) {
        LOGGER.warn("{} is too large to be sound; files will be exported anew", file);
        return loaded;
      }
      loaded.parse(Files.readString(file, StandardCharsets.ISO_8859_1), file);
    } catch (NoSuchFileException e) {
      // Nothing was exported or imported yet.
    } catch (IOException e) {
      LOGGER.warn("reading {} failed; files will be exported anew", file, e);
    }
    return loaded;
  }

  private void parse(String text, Path file) {
    int end = text.lastIndexOf("crc32c ");
    if (end < 0
        || !text.substring(end).equals(ShardDirectory.checksumLine(text.substring(0, end)))) {
      LOGGER.warn("{} does not match its checksum; files will be exported anew", file);
      return;
    }
    text.substring(0, end)
        .lines()
        .map(LINE::matcher)
        .filter(Matcher::matches)
        .forEach(line -> ids.put(Long.valueOf(line.group(1)), line.group(2)));
  }

  /** The name of a file; given now if it has none. */
  String id(long number) {
    return ids.computeIfAbsent(number, n -> opening + "-" + n);
  }

  /** Says what an imported file is called. */
  void put(long number, String id) {
    ids.put(number, id);
  }

  /** Forgets a file that was removed. */
  void forget(long number) {
    ids.remove(number);
  }

  /** Forgets files that are no longer there. */
  void retain(Set<Long> numbers) {
    ids.keySet().retainAll(numbers);
  }

  /** Keeps the names in a database's directory. */
  void save(Path database) {
    StringBuilder text = new StringBuilder();
    ids.forEach(
        (number, id) -> {
          // A name that is no word cannot be written here; such a file is exported anew next time.
          if (LINE.matcher(number + " " + id).matches()) {
            text.append(number).append(' ').append(id).append('\n');
          }
        });
    text.append(ShardDirectory.checksumLine(text.toString()));
    Path next = database.resolve(FILE + ".new");
    try {
      ShardDirectory.writeFile(next, text.toString(), false);
      Files.move(next, database.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      LOGGER.warn("writing {} failed; files will be exported anew after a restart", next, e);
    }
  }
}
