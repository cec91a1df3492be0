package io.reshard.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.spi.StateStoreException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** CSV and JSON Lines: what is read, and that what is malformed costs only itself. */
class RecordReaderTest {
  private static final long SEED = Long.getLong("reshard.seed", 11);

  private static InputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Records as texts; a malformed one as its line and message. */
  private static List<String> read(RecordReader reader, int fields) throws IOException {
    List<String> all = new ArrayList<>();
    while (true) {
      try {
        if (!reader.next()) {
          return all;
        }
        List<String> record = new ArrayList<>();
        for (int i = 0; i < fields; i++) {
          record.add(String.valueOf(reader.field(i)));
        }
        all.add(String.join("|", record));
      } catch (MalformedRecordException e) {
        all.add("line " + reader.line() + ": " + e.getMessage());
      }
    }
  }

  private static List<String> csv(String text, String... names) throws IOException {
    return read(new CsvReader("input", bytes(text), ',', List.of(names)), names.length);
  }

  private static List<String> json(String text, String... names) throws IOException {
    return read(new JsonLinesReader("input", bytes(text), List.of(names)), names.length);
  }

  @Test
  void csvFieldsAreFoundByName() throws IOException {
    assertThat(csv("\ufeffa,b,c\r\n1,2,3\r\n\n4,,6", "c", "a", "b"))
        .containsExactly("3|1|2", "6|4|");
  }

  @Test
  void csvQuotesHoldDelimitersQuotesAndLines() throws IOException {
    assertThat(csv("a,b\n\"x,\"\"y\"\"\r\nz\",\"\"\n\"1\",2\r\n", "a", "b"))
        .containsExactly("x,\"y\"\r\nz|", "1|2");
  }

  @Test
  void csvThatIsMalformedCostsItsRecordOnly() throws IOException {
    assertThat(csv("a,b\n1\n2,3\n\"4\"x,5\n6,7\n8,9,10\n\"open", "a", "b"))
        .containsExactly(
            "line 2: 1 fields; the header has 2",
            "2|3",
            "line 4: something follows a closing quote; double a quote within quotes",
            "6|7",
            "line 6: 3 fields; the header has 2",
            "line 7: a quote is opened and not closed before the end");
  }

  @Test
  void csvThatIsNotUtf8IsMalformedAndTheReplacementCharacterIsNot() throws IOException {
    byte[] text = "a\n?\n\ufffd\n".getBytes(StandardCharsets.UTF_8);
    text[2] = (byte) 0xff;
    assertThat(read(new CsvReader("input", new ByteArrayInputStream(text), ',', List.of("a")), 1))
        .containsExactly("line 2: field 1 is not UTF-8: '\ufffd'", "\ufffd");
  }

  @Test
  void csvHeaderErrorsListWhatIsThere() {
    assertThatThrownBy(() -> csv("a,b\n", "c"))
        .isInstanceOf(StateStoreException.class)
        .hasMessageContaining("no column 'c'")
        .hasMessageContaining("a, b");
    assertThatThrownBy(() -> csv("a,a\n", "a")).hasMessageContaining("more than one column 'a'");
    assertThatThrownBy(() -> csv("", "a")).hasMessageContaining("empty");
  }

  @Test
  void csvOfRandomTextComesBack() throws IOException {
    Random random = new Random(SEED);
    String[] pieces = {"", "a", ",", "\"", "\n", "\r\n", "é", " ", "\ud83d\ude00"};
    StringBuilder text = new StringBuilder("x,y\n");
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      String x = pieces[random.nextInt(pieces.length)] + pieces[random.nextInt(pieces.length)];
      String y = pieces[random.nextInt(pieces.length)] + "z";
      expected.add(x + "|" + y);
      text.append(quoted(x)).append(',').append(quoted(y)).append('\n');
    }
    assertThat(csv(text.toString(), "x", "y")).as("seed %d", SEED).isEqualTo(expected);
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\"", "\"\"") + "\"";
  }

  @Test
  void anEndlessRecordIsAnErrorNotAnOutOfMemory() {
    byte[] endless = new byte[RecordReader.MAX_RECORD_BYTES * 2 + 100];
    Arrays.fill(endless, (byte) 'x');
    endless[0] = '"';
    assertThatThrownBy(
            () -> new CsvReader("input", new ByteArrayInputStream(endless), ',', List.of("a")))
        .isInstanceOf(StateStoreException.class)
        .hasMessageContaining("line 1");
    assertThatThrownBy(
            () ->
                new JsonLinesReader("input", new ByteArrayInputStream(endless), List.of("a"))
                    .next())
        .isInstanceOf(StateStoreException.class)
        .hasMessageContaining("line 1");
  }

  @Test
  void jsonFieldsAreFoundByName() throws IOException {
    assertThat(
            json(
                "{\"a\":1,\"b\":\"x\",\"deep\":{\"a\":[2]}}\n\n{\"b\":true,\"a\":null}\r\n{}",
                "a",
                "b"))
        .containsExactly("1|x", "null|true", "null|null");
  }

  @Test
  void jsonThatIsMalformedCostsItsLineOnly() throws IOException {
    List<String> read =
        json("[1]\n{\"a\":1}\n{\"a\":{}}\n{\"a\":1,\"a\":2}\n{\"a\n{\"a\":2} 3\n{\"a\":3}", "a");
    assertThat(read).hasSize(7);
    assertThat(read.get(0)).startsWith("line 1: a line must hold one JSON object");
    assertThat(read.get(1)).isEqualTo("1");
    assertThat(read.get(2)).startsWith("line 3: field 'a' is an object or array");
    assertThat(read.get(3)).startsWith("line 4: not JSON: Duplicate");
    assertThat(read.get(4)).startsWith("line 5: not JSON");
    assertThat(read.get(5)).startsWith("line 6: something follows");
    assertThat(read.get(6)).isEqualTo("3");
  }
}
