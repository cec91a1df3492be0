package io.reshard.checkpoint.s3;

import io.reshard.spi.StateStoreException;
import java.net.URI;
import java.time.Duration;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.AwsProfileRegionProvider;
import software.amazon.awssdk.regions.providers.AwsRegionProvider;
import software.amazon.awssdk.regions.providers.AwsRegionProviderChain;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.regions.providers.SystemSettingsRegionProvider;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/** Makes the SDK's client as it is used here. */
final class S3Clients {
  private static final Duration CONNECT = Duration.ofSeconds(10);

  private S3Clients() {}

  /**
   * A client that repeats nothing by itself, and computes no checksums beside those given: what a
   * request holds is known where it is made.
   */
  static S3Client open(S3Options options, RequestCounter counter) {
    S3ClientBuilder builder =
        S3Client.builder()
            .credentialsProvider(DefaultCredentialsProvider.builder().build())
            .region(region(options))
            .forcePathStyle(options.pathStyle())
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            .httpClientBuilder(
                Apache5HttpClient.builder()
                    // The callers' own requests besides the transfers'.
                    .maxConnections(2 * options.parallel() + 16)
                    .connectionTimeout(CONNECT)
                    .socketTimeout(options.timeout())
                    .connectionAcquisitionTimeout(options.retryBudget()))
            .overrideConfiguration(
                override ->
                    override
                        .retryStrategy(DefaultRetryStrategy.doNotRetry())
                        .addExecutionInterceptor(counter));
    builder.serviceConfiguration(service -> service.chunkedEncodingEnabled(false));
    if (!options.endpoint().isEmpty()) {
      builder.endpointOverride(URI.create(options.endpoint()));
    }
    try {
      return builder.build();
    } catch (SdkException | IllegalArgumentException e) {
      throw new StateStoreException(
          StateStoreException.Kind.INVALID,
          "the client for S3 cannot be made: " + e.getMessage() + "; check the options",
          e);
    }
  }

  private static Region region(S3Options options) {
    if (!options.region().isEmpty()) {
      return Region.of(options.region());
    }
    boolean amazon = options.endpoint().isEmpty() && !endpointInEnvironment();
    AwsRegionProvider provider =
        amazon
            ? DefaultAwsRegionProviderChain.builder().build()
            : new AwsRegionProviderChain(
                new SystemSettingsRegionProvider(), new AwsProfileRegionProvider());
    try {
      return provider.getRegion();
    } catch (SdkException e) {
      if (!amazon) {
        return Region.US_EAST_1; // Others have no regions, but the signature names one.
      }
      throw new StateStoreException(
          StateStoreException.Kind.INVALID,
          "no AWS region is known; give the option s3.region, or set AWS_REGION",
          e);
    }
  }

  private static boolean endpointInEnvironment() {
    return System.getenv("AWS_ENDPOINT_URL_S3") != null
        || System.getenv("AWS_ENDPOINT_URL") != null;
  }
}
