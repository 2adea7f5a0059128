import type { ConnectorType } from '@arbiter/contract';
import { SourceError } from '../../../../platform/sources/source-error.ts';
import type { SourceKind } from '../source.ts';
import { azureBlobSource, bucketSource, googleBucketSource } from './buckets.ts';
import { csvSource } from './csv.ts';
import { mysqlRelative, mysqlSource } from './databases/mysql.ts';
import { postgresqlSource } from './databases/postgresql.ts';
import { sqlserverSource } from './databases/sqlserver.ts';
import { mongodbSource } from './documents/mongodb.ts';
import { elasticsearchSource, opensearchSource } from './documents/search-index.ts';
import { iterableSource } from './providers/iterable.ts';
import { salesforceSource } from './providers/salesforce.ts';
import { segmentSource } from './providers/segment.ts';
import { redisStreamsSource } from './redis-streams.ts';
import { graphqlSource, restApiSource } from './rest-api.ts';
import { serviceTypes } from './service-apis.ts';
import { serviceSource } from './services.ts';
import { sftpSource } from './sftp.ts';
import { kafkaSource } from './streams/kafka.ts';
import { bigquerySource } from './warehouses/bigquery.ts';
import { clickhouseSource } from './warehouses/clickhouse.ts';
import { databricksSource } from './warehouses/databricks.ts';
import { snowflakeSource } from './warehouses/snowflake.ts';

const kinds: Partial<Record<ConnectorType, SourceKind>> = {
  postgresql: postgresqlSource,
  cockroachdb: postgresqlSource,
  timescaledb: postgresqlSource,
  yugabytedb: postgresqlSource,
  alloydb: postgresqlSource,
  supabase: postgresqlSource,
  neon: postgresqlSource,
  redshift: postgresqlSource,
  clickhouse: clickhouseSource,
  snowflake: snowflakeSource,
  bigquery: bigquerySource,
  databricks: databricksSource,
  mysql: mysqlSource,
  mariadb: mysqlSource,
  tidb: mysqlRelative,
  singlestore: mysqlRelative,
  planetscale: mysqlRelative,
  sqlserver: sqlserverSource,
  azure_sql: sqlserverSource,
  kafka: kafkaSource,
  redpanda: kafkaSource,
  confluent_kafka: kafkaSource,
  azure_event_hubs: kafkaSource,
  mongodb: mongodbSource,
  csv: csvSource,
  elasticsearch: elasticsearchSource,
  opensearch: opensearchSource,
  salesforce: salesforceSource,
  iterable: iterableSource,
  segment: segmentSource,
  sftp: sftpSource,
  redis_streams: redisStreamsSource,
  aws_s3: bucketSource,
  minio: bucketSource,
  cloudflare_r2: bucketSource,
  wasabi: bucketSource,
  backblaze_b2: bucketSource,
  digitalocean_spaces: bucketSource,
  gcs: googleBucketSource,
  azure_blob: azureBlobSource,
  rest_api: restApiSource,
  webhook: restApiSource,
  graphql: graphqlSource,
  ...Object.fromEntries(serviceTypes.map((type) => [type, serviceSource])),
};

/** Returns how sources of a type are tested and read. Throws SourceError `driver_missing`. */
export function kindOf(type: ConnectorType): SourceKind {
  const kind = kinds[type];
  if (kind === undefined) throw new SourceError('driver_missing');
  return kind;
}

/** Types that can be read. */
export const readableTypes: ReadonlySet<string> = new Set(Object.keys(kinds));
