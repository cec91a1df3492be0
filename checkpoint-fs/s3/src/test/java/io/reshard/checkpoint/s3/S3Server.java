package io.reshard.checkpoint.s3;

import io.reshard.checkpoint.StoreOptions;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.gaul.s3proxy.AuthenticationType;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;

/**
 * An S3 server in this JVM, started once, with its objects in memory. With {@code
 * -Dreshard.s3.endpoint=URL -Dreshard.s3.bucket=NAME} tests run against that one instead, with
 * credentials from where the AWS SDK looks; what the tests leave there lies below {@code
 * reshard-tests/}.
 */
public final class S3Server {
  /** What the server in this JVM wants to be told; nobody may ever print it. */
  public static final String SECRET = "s3cr3t-Of-The-Tests-" + UUID.randomUUID();

  private static final String IDENTITY = "AKIATESTIDENTITY0000";
  private static final String BUCKET = "reshard-tests";
  private static S3Server instance;

  private final String endpoint;
  private final String bucket;
  private final boolean foreign;

  private S3Server(String endpoint, String bucket, boolean foreign) {
    this.endpoint = endpoint;
    this.bucket = bucket;
    this.foreign = foreign;
  }

  /** The one server of this JVM. */
  public static synchronized S3Server get() {
    if (instance == null) {
      String endpoint = System.getProperty("reshard.s3.endpoint", "");
      instance =
          endpoint.isEmpty()
              ? start()
              : new S3Server(endpoint, System.getProperty("reshard.s3.bucket", BUCKET), true);
    }
    return instance;
  }

  private static S3Server start() {
    System.setProperty("aws.accessKeyId", IDENTITY);
    System.setProperty("aws.secretAccessKey", SECRET);
    try {
      TransientNio2BlobStore objects = new TransientNio2BlobStore();
      S3Proxy proxy =
          S3Proxy.builder()
              .blobStore(objects)
              .endpoint(URI.create("http://127.0.0.1:0"))
              .awsAuthentication(AuthenticationType.AWS_V4, IDENTITY, SECRET)
              .ignoreUnknownHeaders(true)
              .build();
      proxy.start();
      S3Server server = new S3Server("http://127.0.0.1:" + proxy.getPort(), BUCKET, false);
      try (var client =
          S3Clients.open(S3Options.of(server.options(Map.of())), new RequestCounter())) {
        client.createBucket(request -> request.bucket(BUCKET));
      }
      return server;
    } catch (Exception e) {
      throw new IllegalStateException("the S3 server for tests did not start", e);
    }
  }

  /** A server of its own that looks at no signature, so that requests may be changed on the way. */
  public static Unsigned unsigned() {
    try {
      TransientNio2BlobStore objects = new TransientNio2BlobStore();
      S3Proxy proxy =
          S3Proxy.builder()
              .blobStore(objects)
              .endpoint(URI.create("http://127.0.0.1:0"))
              .ignoreUnknownHeaders(true)
              .build();
      proxy.start();
      Unsigned server = new Unsigned(proxy, "http://127.0.0.1:" + proxy.getPort());
      StoreOptions options = StoreOptions.of(Map.of("s3.endpoint", server.endpoint));
      try (var client = S3Clients.open(S3Options.of(options), new RequestCounter())) {
        client.createBucket(request -> request.bucket(get().bucket));
      }
      return server;
    } catch (Exception e) {
      throw new IllegalStateException("the S3 server for tests did not start", e);
    }
  }

  /**
   * A server that looks at no signature; it has the bucket of the common one.
   *
   * @param endpoint where requests go
   */
  public record Unsigned(S3Proxy proxy, String endpoint) implements AutoCloseable {
    @Override
    public void close() {
      try {
        proxy.stop();
      } catch (Exception e) {
        throw new IllegalStateException("the S3 server for tests did not stop", e);
      }
    }
  }

  /** Whether it is one that was named, and not the one in this JVM. */
  public boolean isForeign() {
    return foreign;
  }

  /** Where requests go. */
  public String endpoint() {
    return endpoint;
  }

  /** The bucket. */
  public String bucket() {
    return bucket;
  }

  /** A location nobody else has. */
  public String newLocation() {
    return "s3://" + bucket + "/reshard-tests/" + UUID.randomUUID();
  }

  /** Options that lead to this server, with more of them. */
  public StoreOptions options(Map<String, String> more) {
    Map<String, String> options = new HashMap<>();
    options.put("s3.endpoint", endpoint);
    options.put("s3.path-style", "true");
    options.putAll(more);
    return StoreOptions.of(options);
  }
}
