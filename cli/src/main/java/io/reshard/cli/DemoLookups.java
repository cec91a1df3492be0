package io.reshard.cli;

import io.reshard.checkpoint.KeyedStore;
import io.reshard.spi.ByteView;
import io.reshard.spi.ScanRange;
import io.reshard.spi.StateIterator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the demo asks the store on its backend: some airports by scans, some rows by lookups. */
final class DemoLookups {
  /** Flights and their total delay in minutes. */
  record Figures(long flights, long delay) {
    Figures plus(Figures more) {
      return new Figures(flights + more.flights, delay + more.delay);
    }
  }

  private static final Figures NONE = new Figures(0, 0);

  private final RowSchema schema;
  private final String columnFamily;
  private final TupleReader tuple = new TupleReader();

  DemoLookups(RowSchema schema, String columnFamily) {
    this.schema = schema;
    this.columnFamily = columnFamily;
  }

  /** Figures of airports, from a scan over all shards, then of rows, by their keys. */
  Map<String, Figures> ask(KeyedStore store, List<String> airports, List<String> rows) {
    Map<String, Figures> answers = new LinkedHashMap<>();
    airports.forEach(airport -> answers.put(airport, NONE));
    for (int shard = 0; shard < store.layout().shards(); shard++) {
      try (StateIterator all = store.scan(shard, columnFamily, ScanRange.all())) {
        while (all.next()) {
          String origin = String.valueOf(schema.decodeKey(all.key(), tuple).get(0));
          Figures more = figures(all.value());
          answers.computeIfPresent(origin, (airport, sum) -> sum.plus(more));
        }
      }
    }
    List<byte[]> keys = new ArrayList<>();
    rows.forEach(row -> keys.add(schema.encodeKey(Arrays.asList(row.split(" ", -1)))));
    byte[] @Nullable [] values =
        RowTarget.of(store, columnFamily).multiGet(keys.toArray(byte[][]::new));
    for (int i = 0; i < rows.size(); i++) {
      byte[] value = values[i];
      answers.put(rows.get(i), value == null ? NONE : figures(new ByteView(value)));
    }
    return answers;
  }

  private Figures figures(ByteView value) {
    List<@Nullable Object> columns = schema.decodeValue(value, tuple);
    return new Figures(number(columns.get(0)), number(columns.get(1)));
  }

  private static long number(@Nullable Object column) {
    return column instanceof Long number ? number : 0;
  }
}
