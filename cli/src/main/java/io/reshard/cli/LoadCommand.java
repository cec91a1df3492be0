package io.reshard.cli;

import io.reshard.checkpoint.CheckpointStore;
import io.reshard.checkpoint.Layout;
import io.reshard.checkpoint.Manifest;
import io.reshard.checkpoint.ObjectStore;
import io.reshard.checkpoint.ObjectStoreMetrics;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.PartitionKey;
import io.reshard.spi.Placement;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreProviders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code reshard load}. */
@Command(
    name = "load",
    description = {
      "Load CSV or JSON Lines as keyed state.",
      "",
      "A store that is not there is made; one that is there gets a new version. Input is read once,"
          + " in bounded memory. The store remembers what it has taken: after an interruption the"
          + " same command goes on where the last version ends, and an input already taken is not"
          + " counted twice."
    },
    footer = {
      "  reshard load --store ./state --shards 200 --key 'origin,destination,hour(time)' \\",
      "      --aggregate 'count(),sum(delay)' flights.csv.gz",
      "  reshard load --store ./users --key 'int(id)' --value 'name,time(joined)' users.jsonl",
      "  reshard load --store s3://bucket/users --key 'int(id)' --value name users.jsonl",
      "  zcat big.csv.gz | reshard load --store ./state --key user --aggregate 'count()' \\",
      "      --commit-every 1000000 --on-error skip -",
      "",
      "Columns:",
      "  FIELD           text                       int(FIELD)    64-bit whole number",
      "  double(FIELD)   number                     bool(FIELD)   true or false",
      "  time(FIELD)     ISO 8601; UTC if no zone   minute(FIELD), hour(FIELD), day(FIELD)",
      "                                             the start of a time's minute, hour, day",
      "",
      "Aggregates:",
      "  count(), sum(FIELD), min(FIELD), max(FIELD) of whole numbers, or of double(FIELD);",
      "  min and max also of time(FIELD). Absent values do not count."
    })
final class LoadCommand extends Verb {
  /** What to do with a malformed record. */
  enum OnError {
    /** Stop at the first. */
    FAIL,
    /** Count and go on. */
    SKIP
  }

  private static final int DEFAULT_SHARDS = 200;
  private static final String DEFAULT_BACKEND = "rocksdb";

  @Option(
      names = "--store",
      order = 0,
      required = true,
      paramLabel = "LOCATION",
      description = "Where the store is or shall be: " + StorePlace.WHAT + ".")
  String location = "";

  @Mixin StorePlace place = new StorePlace();

  @Parameters(
      paramLabel = "INPUT",
      arity = "1..*",
      description =
          "CSV with a header or JSON Lines, plain or gzipped; - is standard input, which is not"
              + " remembered.")
  List<String> inputs = List.of();

  @Option(
      names = "--key",
      order = 1,
      paramLabel = "COLUMNS",
      description = "Columns of the key. Not needed for a store that was loaded before.")
  String key = "";

  @Option(
      names = "--value",
      order = 2,
      paramLabel = "COLUMNS",
      description = "Columns of the value; the last record of a key wins.")
  String value = "";

  @Option(
      names = "--aggregate",
      order = 3,
      paramLabel = "LIST",
      description = "Or: aggregates over the records of a key, united with what is stored.")
  String aggregate = "";

  @Option(
      names = "--shards",
      order = 4,
      paramLabel = "N",
      description = "Number of shards of a new store, 1 to 65536 (default: 200).")
  @Nullable Integer shards;

  @Option(
      names = "--layout",
      order = 5,
      paramLabel = "LAYOUT",
      description = "Of a new store: slots (cheap to resize; default) or modulo.")
  Layout.@Nullable Kind layout;

  @Option(
      names = "--placement",
      order = 6,
      paramLabel = "PLACEMENT",
      description = "Of a new store: hashed (default) or ordered (in key order; dearer to resize).")
  @Nullable Placement placement;

  @Option(
      names = "--column-family",
      order = 7,
      paramLabel = "NAME",
      description = "Column family (default: the store's first, or 'default').")
  String columnFamily = "";

  @Option(
      names = "--backend",
      order = 8,
      paramLabel = "NAME",
      description = "Backend that holds the state meanwhile (default: the store's, or rocksdb).")
  String backendName = "";

  @Option(
      names = "--memory",
      order = 9,
      paramLabel = "SIZE",
      description = "Memory of the backend's caches and buffers (default: 256m).")
  Cli.Size memory = new Cli.Size(BackendOptions.DEFAULT_MEMORY_BUDGET);

  @Option(
      names = "--commit-every",
      order = 10,
      paramLabel = "ROWS",
      description = "Commit a version after every ROWS records (default: only at the end).")
  @Nullable Long commitEvery;

  @Option(
      names = "--on-error",
      order = 11,
      paramLabel = "WHAT",
      description = "At a malformed record: fail (default), or skip and count it.")
  OnError onError = OnError.FAIL;

  @Option(
      names = "--format",
      order = 12,
      paramLabel = "FORMAT",
      description = "csv, jsonl or auto (default): by the name, else by the first byte.")
  Input.Format format = Input.Format.AUTO;

  @Option(
      names = "--delimiter",
      order = 13,
      paramLabel = "CHAR",
      description = "Between fields of CSV: one ASCII character, or tab (default: a comma).")
  String delimiter = ",";

  @Option(
      names = "--again",
      order = 14,
      description = "Take an input once more that the store has taken already.")
  boolean again;

  @Option(
      names = "--dry-run",
      order = 15,
      description = "Read the inputs and say what would be loaded; change nothing.")
  boolean dryRun;

  LoadCommand(Console console) {
    super(console);
  }

  @Override
  ExitCode run() throws IOException {
    if (commitEvery != null && commitEvery < 1) {
      throw StateStoreException.invalid("--commit-every " + commitEvery + "; give 1 or more");
    }
    Layout.checkShards(shards == null ? DEFAULT_SHARDS : shards);
    Input.checkReadable(inputs);
    if (!exists()) {
      return dryRun
          ? loadNowhere(0, Map.of(), newColumnFamily().name(), newSchema())
          : createAndLoad();
    }
    try (CheckpointStore store = CheckpointStore.open(place.open(location))) {
      long version = store.latestVersion();
      if (version == 0) {
        return dryRun
            ? loadNowhere(0, Map.of(), newColumnFamily().name(), newSchema())
            : loadFirst(store, newSchema());
      }
      return loadMore(store, store.manifest(version));
    }
  }

  private boolean exists() {
    try (ObjectStore objects = place.open(location)) {
      return objects.info("store.json") != null;
    }
  }

  private ExitCode createAndLoad() throws IOException {
    RowSchema schema = newSchema();
    StateStoreProviders.find(newBackend());
    newColumnFamily();
    checkHeaders(schema);
    try (ObjectStore objects = place.open(location)) {
      NewStore made = new NewStore(objects);
      try (CheckpointStore store = CheckpointStore.create(place.open(location))) {
        made.created();
        return loadFirst(store, schema);
      } finally {
        made.removeIfEmpty();
      }
    }
  }

  /** Finds the columns in every input that can be opened again, before anything is made. */
  private void checkHeaders(RowSchema schema) throws IOException {
    for (String name : inputs) {
      if (!name.equals("-") && Files.isRegularFile(Path.of(name))) {
        try (Input input = Input.open(name, System.in)) {
          input.records(format, delimiterByte(), schema.fields());
        }
      }
    }
  }

  private ExitCode loadFirst(CheckpointStore store, RowSchema schema) throws IOException {
    int n = shards == null ? DEFAULT_SHARDS : shards;
    Layout newLayout = layout == Layout.Kind.MODULO ? Layout.modulo(n) : Layout.slots(n);
    try (StoreInUse use =
        StoreInUse.create(
            store, newBackend(), memory.bytes(), newLayout, List.of(newColumnFamily()))) {
      return load(
          RowTarget.of(use.state(), newColumnFamily().name()),
          Map.of(),
          newColumnFamily().name(),
          schema,
          store.objects()::metrics);
    }
  }

  private ExitCode loadMore(CheckpointStore store, Manifest manifest) throws IOException {
    checkUnchanged("--shards", shards, manifest.layout().shards());
    checkUnchanged("--layout", layout, manifest.layout().kind());
    ColumnFamily family =
        columnFamily.isEmpty()
            ? manifest.columnFamilies().get(0)
            : manifest.columnFamily(columnFamily);
    checkUnchanged("--placement", placement, family.placement());
    RowSchema schema = knownSchema(manifest, family.name());
    if (dryRun) {
      return loadNowhere(manifest.version(), manifest.properties(), family.name(), schema);
    }
    String name = backendName.isEmpty() ? manifest.backend() : backendName;
    try (StoreInUse use = StoreInUse.open(store, name, memory.bytes(), manifest.version())) {
      return load(
          RowTarget.of(use.state(), family.name()),
          manifest.properties(),
          family.name(),
          schema,
          store.objects()::metrics);
    }
  }

  private ExitCode loadNowhere(
      long version, Map<String, String> properties, String family, RowSchema schema)
      throws IOException {
    return load(
        RowTarget.nowhere(version), properties, family, schema, () -> ObjectStoreMetrics.NONE);
  }

  private ExitCode load(
      RowTarget target,
      Map<String, String> properties,
      String family,
      RowSchema schema,
      Supplier<ObjectStoreMetrics> requests)
      throws IOException {
    Loader loader =
        new Loader(
            target,
            properties,
            new Loader.Options(
                family,
                schema,
                format,
                delimiterByte(),
                commitEvery == null ? 0 : commitEvery,
                onError == OnError.SKIP,
                again),
            console());
    long start = System.nanoTime();
    for (String name : inputs) {
      try (Input input = Input.open(name, System.in)) {
        loader.load(input);
      }
    }
    Loader.Totals totals = loader.totals();
    if (totals.records() == 0 && totals.malformed() > 0 && totals.versions() == 0) {
      throw StateStoreException.invalid(
          "no record could be read, all "
              + Units.count(totals.malformed())
              + " are malformed: nothing was stored. See what is said of the first ones, and correct"
              + " --key, --value, --aggregate, --delimiter or --format, or the input");
    }
    report(totals, target.version(), requests.get(), Units.toSeconds(System.nanoTime() - start));
    return ExitCode.OK;
  }

  private void report(
      Loader.Totals totals, long version, ObjectStoreMetrics requests, double seconds) {
    if (json) {
      console()
          .printJson(
              out -> {
                out.writeNumberField("version", version);
                out.writeNumberField("records", totals.records());
                out.writeNumberField("malformed", totals.malformed());
                out.writeNumberField("passedOver", totals.passedOver());
                out.writeNumberField("versions", dryRun ? 0 : totals.versions());
                out.writeNumberField("seconds", seconds);
                out.writeBooleanField("dryRun", dryRun);
                StorePlace.write(out, requests);
              });
      return;
    }
    console()
        .print(
            (dryRun ? "would load " : "loaded ")
                + Units.count(totals.records())
                + " records"
                + (totals.malformed() > 0
                    ? ", skipped " + Units.count(totals.malformed()) + " malformed"
                    : "")
                + (totals.passedOver() > 0
                    ? ", passed over " + Units.count(totals.passedOver()) + " taken earlier"
                    : "")
                + " in "
                + Units.seconds(seconds)
                + (dryRun ? "; nothing was changed" : "; store is at version " + version));
    String asked = StorePlace.describe(requests);
    if (!asked.isEmpty()) {
      console().say(console().dim(asked));
    }
  }

  private String newBackend() {
    return backendName.isEmpty() ? DEFAULT_BACKEND : backendName;
  }

  private ColumnFamily newColumnFamily() {
    return new ColumnFamily(
        columnFamily.isEmpty() ? ColumnFamily.DEFAULT_NAME : columnFamily,
        placement == null ? Placement.HASHED : placement,
        PartitionKey.whole());
  }

  private RowSchema newSchema() {
    if (key.isEmpty()) {
      throw StateStoreException.invalid(
          "a new store needs --key, such as --key 'origin,destination,hour(time)'");
    }
    return RowSchema.parse(key, value, aggregate);
  }

  /** The schema the column family has; the options may repeat it, not contradict it. */
  private RowSchema knownSchema(Manifest manifest, String family) {
    RowSchema known = RowSchema.of(manifest.properties(), family);
    if (known == null) {
      throw StateStoreException.invalid(
          "column family '"
              + family
              + "' of store "
              + location
              + " was not made by reshard load: its columns are not known, so rows cannot be added."
              + " Load into a store of its own");
    }
    RowSchema given =
        key.isEmpty() && value.isEmpty() && aggregate.isEmpty()
            ? known
            : RowSchema.parse(
                key.isEmpty() ? String.join(",", known.keyNames()) : key, value, aggregate);
    if (!given.equals(known)) {
      throw StateStoreException.invalid(
          "the columns differ from those of the store: expected "
              + known.describe()
              + ", given "
              + given.describe()
              + ". Leave out --key, --value and --aggregate, or load into a store of its own");
    }
    return known;
  }

  private <T> void checkUnchanged(String option, @Nullable T given, T stored) {
    if (given != null && !given.equals(stored)) {
      throw StateStoreException.invalid(
          option
              + " "
              + given.toString().toLowerCase(Locale.ROOT)
              + ", but store "
              + location
              + " has "
              + stored.toString().toLowerCase(Locale.ROOT)
              + "; leave "
              + option
              + " out"
              + (option.equals("--shards") ? ", or change it with reshard repartition" : ""));
    }
  }

  private char delimiterByte() {
    if (delimiter.equals("tab") || delimiter.equals("\\t")) {
      return '\t';
    }
    char c = delimiter.length() == 1 ? delimiter.charAt(0) : '\n';
    if (c == '\n' || c == '\r' || c == '"' || c > 0x7e) {
      throw StateStoreException.invalid(
          "--delimiter '" + delimiter + "'; give one ASCII character that is no quote, or tab");
    }
    return c;
  }
}
