package io.reshard.cli;

import io.reshard.spi.StateStoreException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads inputs record by record into a keyed store, and commits on the way and at each end. */
final class Loader {
  /**
   * How to load.
   *
   * @param columnFamily where to
   * @param schema as which rows
   * @param format how the input is written
   * @param delimiter between fields of CSV
   * @param commitEvery commit after this many records; 0 for only at the end
   * @param skipMalformed count malformed records and go on, instead of failing at the first
   * @param again take an input once more that the store has taken wholly
   */
  record Options(
      String columnFamily,
      RowSchema schema,
      Input.Format format,
      char delimiter,
      long commitEvery,
      boolean skipMalformed,
      boolean again) {}

  /** What was done, over all inputs. */
  static final class Totals {
    private long records;
    private long malformed;
    private long passedOver;
    private int versions;

    /** Records taken. */
    long records() {
      return records;
    }

    /** Malformed records skipped. */
    long malformed() {
      return malformed;
    }

    /** Records passed over because the store has them. */
    long passedOver() {
      return passedOver;
    }

    /** Versions committed. */
    int versions() {
      return versions;
    }
  }

  private static final int MALFORMED_SHOWN = 5;
  private static final int CHECK_EVERY = 1024;

  private final RowTarget store;
  private final Options options;
  private final Console console;
  private final RowSink sink;
  private final Map<String, String> properties;
  private final LoadedInputs loaded;
  private final Totals totals = new Totals();

  /** Records taken before the current input. */
  private long recordsBefore;

  /**
   * A loader into a store.
   *
   * @param properties those of the version the store starts from; what is not the loader's is kept
   */
  Loader(RowTarget store, Map<String, String> properties, Options options, Console console) {
    this.store = store;
    this.options = options;
    this.console = console;
    this.sink = RowSink.of(store, options.schema());
    this.properties = new HashMap<>(properties);
    this.properties.putAll(options.schema().toProperties(options.columnFamily()));
    this.loaded = LoadedInputs.of(properties);
  }

  /** What was done so far. */
  Totals totals() {
    return totals;
  }

  /** Loads one input wholly; its last record ends with a commit. */
  void load(Input input) throws IOException {
    LoadedInputs.Taken taken = loaded.taken(input.identity());
    if (taken.done() && !options.again()) {
      console.say(
          input.name()
              + " is in the store already ("
              + Units.count(taken.records())
              + " records): nothing to do; --again adds it once more");
      totals.passedOver += taken.records();
      return;
    }
    long skip = taken.done() ? 0 : taken.records();
    if (skip > 0) {
      console.say(
          input.name()
              + ": going on after record "
              + Units.count(skip)
              + ", where version "
              + store.version()
              + " ends");
    }
    RecordReader records =
        input.records(options.format(), options.delimiter(), options.schema().fields());
    try (Progress progress = new Progress(console, "load")) {
      long position = 0;
      recordsBefore = totals.records;
      long malformedBefore = totals.malformed;
      while (step(input, records, position, skip)) {
        position++;
        if (position % CHECK_EVERY == 0) {
          checkCancelled();
          progress.bytes(input.bytesRead(), input.size(), Units.count(position) + " records");
        }
      }
      if (position < skip) {
        throw StateStoreException.invalid(
            input.name()
                + " has "
                + position
                + " records, the store took "
                + skip
                + " of it; it has changed since. Give the same file, or load it with --again");
      }
      totals.passedOver += skip;
      if (skip == 0 && totals.records == recordsBefore && totals.malformed > malformedBefore) {
        console.say(
            input.name()
                + ": no record could be read, "
                + Units.count(totals.malformed - malformedBefore)
                + " malformed: nothing of it was taken");
        return;
      }
      commit(input, position, true);
    } catch (OverflowException e) {
      throw StateStoreException.invalid(
          input.name() + ", at or before line " + records.line() + ": " + e.getMessage());
    }
  }

  /**
   * Reads the record after {@code position} others and takes it, unless the store has it; false at
   * the end. A malformed one is a record too: positions do not depend on what becomes of it.
   */
  private boolean step(Input input, RecordReader records, long position, long skip)
      throws IOException {
    MalformedRecordException malformed = null;
    try {
      if (!records.next()) {
        return false;
      }
    } catch (MalformedRecordException e) {
      malformed = e;
    }
    if (position < skip) {
      return true;
    }
    // Only now that there is another record: the end commits what is before it anyway.
    if (options.commitEvery() > 0
        && position > skip
        && position % options.commitEvery() == 0
        && (skip > 0 || totals.records > recordsBefore)) {
      commit(input, position, false);
    }
    if (malformed == null) {
      malformed = take(records);
    }
    if (malformed != null) {
      malformed(input, records.line(), malformed);
    }
    return true;
  }

  /** Takes the current record; returns what is wrong with it, if something is. */
  private @Nullable MalformedRecordException take(RecordReader records) {
    try {
      sink.add(records);
      totals.records++;
      return null;
    } catch (MalformedRecordException e) {
      return e;
    }
  }

  private void malformed(Input input, long line, MalformedRecordException e) {
    String where = input.name() + ", line " + line + ": " + e.getMessage();
    if (!options.skipMalformed()) {
      throw StateStoreException.invalid(
          where + ". Correct it, or count and skip such records with --on-error skip");
    }
    totals.malformed++;
    if (totals.malformed <= MALFORMED_SHOWN) {
      console.say("skipped " + where);
    }
    if (totals.malformed == MALFORMED_SHOWN + 1) {
      console.say("more malformed records are skipped without a word");
    }
  }

  private void commit(Input input, long position, boolean done) {
    sink.flush();
    loaded.note(input.identity(), position, done);
    properties.put(LoadedInputs.PROPERTY, loaded.toText());
    long version = store.commit(properties);
    totals.versions++;
    if (options.commitEvery() > 0) {
      console.say(
          "version " + version + ": " + Units.count(position) + " records of " + input.name());
    }
  }

  private void checkCancelled() {
    if (console.isCancelled()) {
      throw new InterruptedRunException(
          store.version() == 0
              ? "stopped before the first commit; nothing was stored. Run the same command again to"
                  + " load it"
              : "stopped; the store is at version "
                  + store.version()
                  + ". Run the same command again to go on from there");
    }
  }
}
