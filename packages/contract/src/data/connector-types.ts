import type { ConnectorConfigKey } from './connector-fields.ts';
import type { ConnectorAuthMethod, ConnectorCategory, ConnectorProbe, ConnectorTypeStatus } from './connector-words.ts';

// Types of connectors (docs/design/api-catalogue.md 14.1). Probes, readers, forms and documentation read this table.

/** A required key, or keys of which one is required. `connectionString` and `apiKey` are secrets, and count when given. */
export type RequiredConfig = ConnectorRequiredKey | readonly ConnectorRequiredKey[];
export type ConnectorRequiredKey = ConnectorConfigKey | 'connectionString' | 'apiKey';

/** A type of connectors. */
export interface ConnectorTypeInfo {
  readonly label: string;
  readonly category: ConnectorCategory;
  readonly status: ConnectorTypeStatus;
  readonly required: readonly RequiredConfig[];
  readonly optional: readonly ConnectorConfigKey[];
  /** The first is the type's default. */
  readonly authMethods: readonly [ConnectorAuthMethod, ...ConnectorAuthMethod[]];
  readonly probe: ConnectorProbe;
  /** What an API type can read; the first is the default. */
  readonly resources?: readonly [string, ...string[]];
  /** Choices of `region`; the first is the default. */
  readonly regions?: readonly [string, ...string[]];
  /** Where its servers usually listen. */
  readonly port?: number;
}

type Facts = Omit<ConnectorTypeInfo, 'label' | 'category' | 'status' | 'probe' | 'optional'> &
  Partial<Pick<ConnectorTypeInfo, 'optional'>>;

const ready = (
  label: string,
  category: ConnectorCategory,
  probe: ConnectorProbe,
  { optional = [], ...facts }: Facts,
): ConnectorTypeInfo => ({ label, category, status: 'ready', probe, optional, ...facts });

/** A type that has a form and nothing behind it. */
const later = (
  label: string,
  category: ConnectorCategory,
  { optional = [], ...facts }: Facts,
  probe: ConnectorProbe = 'none',
): ConnectorTypeInfo => ({ label, category, status: 'coming_soon', probe, optional, ...facts });

const sql = ['sourceTable', 'schema', 'rowLimit', 'watermarkColumn', 'ssl'] as const;
const files = ['path', 'pattern', 'format', 'delimiter', 'header', 'encoding', 'compression', 'order'] as const;
const fileOptions = ['pattern', 'format', 'delimiter', 'header', 'encoding', 'compression', 'order'] as const;
const stream = ['topic', 'groupId', 'maxMessages', 'maxWaitMs', 'fromBeginning'] as const;
const api = ['resource', 'pageSize', 'rowLimit', 'since'] as const;
const server = ['host', 'port', 'database'] as const;

const sqlServer = (label: string, port: number, category: ConnectorCategory = 'database') =>
  ready(label, category, 'tcp', { required: server, optional: sql, authMethods: ['basic'], port });

const searchIndex = (label: string) =>
  ready(label, 'database', 'api', {
    required: ['url'],
    optional: ['index', 'filter', 'rowLimit'],
    authMethods: ['basic', 'api_key', 'none'],
  });

const ownBucket = (label: string) =>
  ready(label, 'storage', 'bucket', {
    required: ['bucket', 'endpoint'],
    optional: ['region', ...files],
    authMethods: ['access_key'],
  });

const kafka = (label: string, authMethods: ConnectorTypeInfo['authMethods'], withSsl: boolean) =>
  ready(label, 'streaming', 'sdk', {
    ...{ required: ['bootstrapServers'], authMethods },
    optional: withSsl ? [...stream, 'ssl'] : stream,
  });

const service = (
  label: string,
  category: ConnectorCategory,
  resources: readonly [string, ...string[]],
  facts: Facts,
): ConnectorTypeInfo =>
  ready(label, category, 'api', { ...facts, optional: [...api, ...(facts.optional ?? [])], resources });

const http = ['method', 'headers', 'query', 'responseRowsPath', 'pagination', 'rowLimit'] as const;
const restApi = (label: string) =>
  ready(label, 'api', 'http_head', {
    ...{ required: ['url'], optional: http },
    authMethods: ['none', 'api_key', 'basic', 'token', 'oauth2'],
  });

const projectAnalytics = (label: string) =>
  later(label, 'marketing', { required: ['projectId'], authMethods: ['api_key'] });
const drive = (label: string) =>
  later(label, 'storage', { required: ['folder'], optional: files, authMethods: ['oauth2'] });
const lake = (label: string) =>
  later(label, 'warehouse', { required: ['location'], optional: ['catalog'], authMethods: ['access_key'] });
const instance = (label: string, category: ConnectorCategory) =>
  later(label, category, { required: ['instanceUrl'], authMethods: ['oauth2'] });

/** Every type, by its word. */
export const connectorTypes = {
  postgresql: sqlServer('PostgreSQL', 5432),
  cockroachdb: sqlServer('CockroachDB', 26_257),
  timescaledb: sqlServer('Timescale', 5432),
  yugabytedb: sqlServer('YugabyteDB', 5433),
  alloydb: sqlServer('AlloyDB', 5432),
  supabase: sqlServer('Supabase', 5432),
  neon: sqlServer('Neon', 5432),
  mysql: sqlServer('MySQL', 3306),
  mariadb: sqlServer('MariaDB', 3306),
  tidb: sqlServer('TiDB', 4000),
  singlestore: sqlServer('SingleStore', 3306),
  planetscale: sqlServer('PlanetScale', 3306),
  sqlserver: sqlServer('SQL Server', 1433),
  azure_sql: sqlServer('Azure SQL', 1433),
  mongodb: ready('MongoDB', 'database', 'tcp', {
    required: [['host', 'connectionString']],
    optional: ['port', 'database', 'collection', 'filter', 'tls', 'rowLimit'],
    authMethods: ['basic', 'connection_string', 'none'],
    port: 27_017,
  }),
  elasticsearch: searchIndex('Elasticsearch'),
  opensearch: searchIndex('OpenSearch'),
  redshift: sqlServer('Amazon Redshift', 5439, 'warehouse'),
  clickhouse: sqlServer('ClickHouse', 8443, 'warehouse'),
  snowflake: ready('Snowflake', 'warehouse', 'sdk', {
    required: ['account', 'warehouse', 'database', 'sourceTable'],
    optional: ['schema', 'role', 'rowLimit', 'watermarkColumn'],
    authMethods: ['basic', 'key_pair', 'token'],
  }),
  bigquery: ready('BigQuery', 'warehouse', 'sdk', {
    required: ['project', 'dataset', 'sourceTable'],
    optional: ['location', 'rowLimit', 'watermarkColumn'],
    authMethods: ['service_account'],
  }),
  databricks: ready('Databricks', 'warehouse', 'sdk', {
    required: ['host', 'httpPath'],
    optional: ['catalog', 'schema', 'sourceTable', 'rowLimit'],
    authMethods: ['token', 'oauth2'],
  }),
  aws_s3: ready('Amazon S3', 'storage', 'bucket', {
    ...{ required: ['bucket', 'region'], optional: files, authMethods: ['access_key', 'iam_role'] },
  }),
  minio: ownBucket('MinIO'),
  cloudflare_r2: ownBucket('Cloudflare R2'),
  wasabi: ownBucket('Wasabi'),
  backblaze_b2: ownBucket('Backblaze B2'),
  digitalocean_spaces: ownBucket('DigitalOcean Spaces'),
  gcs: ready('Google Cloud Storage', 'storage', 'bucket', {
    ...{ required: ['bucket', 'project'], optional: files, authMethods: ['service_account'] },
  }),
  azure_blob: ready('Azure Blob Storage', 'storage', 'bucket', {
    ...{ required: ['container', 'storageAccount'], optional: files, authMethods: ['account_key', 'sas_token'] },
  }),
  sftp: ready('SFTP', 'storage', 'tcp', {
    required: ['host', 'port'],
    optional: [...files, 'hostKey'],
    authMethods: ['basic', 'ssh_key'],
    port: 22,
  }),
  csv: ready('CSV file or URL', 'storage', 'file', {
    ...{ required: [['path', 'url']], optional: fileOptions, authMethods: ['none', 'basic'] },
  }),
  kafka: kafka('Apache Kafka', ['none', 'sasl'], true),
  redpanda: kafka('Redpanda', ['none', 'sasl'], true),
  confluent_kafka: kafka('Confluent', ['sasl'], false),
  azure_event_hubs: kafka('Azure Event Hubs', ['sasl'], false),
  redis_streams: ready('Redis Streams', 'streaming', 'tcp', {
    required: ['host', 'port'],
    optional: [...stream, 'tls'],
    authMethods: ['basic', 'none'],
    port: 6379,
  }),
  salesforce: service('Salesforce', 'crm', ['Contact'], {
    ...{ required: [['instanceUrl', 'apiKey']], optional: ['apiVersion'], authMethods: ['oauth2', 'token'] },
  }),
  hubspot: service('HubSpot', 'crm', ['contacts', 'companies', 'deals'], {
    ...{ required: [['instanceUrl', 'apiKey']], authMethods: ['token', 'oauth2'] },
  }),
  pipedrive: service('Pipedrive', 'crm', ['persons', 'deals'], {
    ...{ required: ['companyDomain'], authMethods: ['api_key'] },
  }),
  segment: ready('Segment', 'marketing', 'api', {
    ...{ required: ['spaceId'], optional: ['idType', 'writeKey'], authMethods: ['token'] },
  }),
  mailchimp: service('Mailchimp', 'marketing', ['members'], { required: ['listId'], authMethods: ['api_key'] }),
  klaviyo: service('Klaviyo', 'marketing', ['profiles'], {
    ...{ required: [], optional: ['listId'], authMethods: ['api_key'] },
  }),
  iterable: service('Iterable', 'marketing', ['users'], {
    ...{ required: ['listId'], optional: ['region'], authMethods: ['api_key'], regions: ['us', 'eu'] },
  }),
  sendgrid: service('SendGrid', 'marketing', ['bounces'], { required: [], authMethods: ['api_key'] }),
  postmark: service('Postmark', 'marketing', ['bounces'], { required: [], authMethods: ['api_key'] }),
  shopify: service('Shopify', 'commerce', ['orders', 'customers'], {
    ...{ required: ['shop'], optional: ['apiVersion'], authMethods: ['token'] },
  }),
  stripe: service('Stripe', 'commerce', ['charges', 'customers'], { required: [], authMethods: ['api_key'] }),
  woocommerce: service('WooCommerce', 'commerce', ['customers', 'orders'], {
    ...{ required: ['url'], authMethods: ['basic'] },
  }),
  bigcommerce: service('BigCommerce', 'commerce', ['customers', 'orders'], {
    ...{ required: ['storeHash'], authMethods: ['token'] },
  }),
  zendesk: service('Zendesk', 'support', ['users', 'tickets'], {
    ...{ required: ['subdomain'], authMethods: ['basic', 'token'] },
  }),
  intercom: service('Intercom', 'support', ['contacts'], {
    ...{ required: [], optional: ['region'], authMethods: ['token'], regions: ['us', 'eu', 'au'] },
  }),
  freshdesk: service('Freshdesk', 'support', ['contacts', 'tickets'], {
    ...{ required: ['domain'], authMethods: ['api_key'] },
  }),
  airtable: ready('Airtable', 'productivity', 'api', {
    ...{ required: ['baseId', 'table'], optional: ['view', 'rowLimit'], authMethods: ['token'] },
  }),
  rest_api: restApi('REST API'),
  webhook: restApi('Webhook'),
  graphql: ready('GraphQL', 'api', 'api', {
    required: ['url'],
    optional: ['query', 'variables', 'responseRowsPath', 'pagination', 'rowLimit'],
    authMethods: ['none', 'api_key', 'token'],
  }),
  amazon_kinesis: later(
    'Amazon Kinesis',
    'streaming',
    { required: ['streamName', 'region'], optional: stream, authMethods: ['access_key', 'iam_role'] },
    'sdk',
  ),
  braze: later('Braze', 'marketing', { required: ['restEndpoint'], authMethods: ['api_key'] }),
  oracle: later('Oracle', 'database', { required: server, optional: sql, authMethods: ['basic'] }),
  redis: later('Redis', 'database', { required: ['host', 'port'], optional: ['database'], authMethods: ['basic'] }),
  neo4j: later('Neo4j', 'database', { required: ['host', 'port'], optional: ['database'], authMethods: ['basic'] }),
  cassandra: later('Apache Cassandra', 'database', { required: ['hosts', 'keyspace'], authMethods: ['basic'] }),
  dynamodb: later('Amazon DynamoDB', 'database', {
    ...{ required: ['tableName', 'region'], authMethods: ['access_key', 'iam_role'] },
  }),
  cosmosdb: later('Azure Cosmos DB', 'database', { required: ['endpoint', 'database'], authMethods: ['account_key'] }),
  synapse: later('Azure Synapse', 'warehouse', { required: server, optional: sql, authMethods: ['basic'] }),
  teradata: later('Teradata', 'warehouse', { required: server, optional: sql, authMethods: ['basic'] }),
  athena: later('Amazon Athena', 'warehouse', {
    ...{ required: ['region', 'database', 'outputLocation'], authMethods: ['access_key', 'iam_role'] },
  }),
  trino: later('Trino', 'warehouse', {
    ...{ required: ['host', 'port', 'catalog'], optional: ['schema'], authMethods: ['basic', 'none'] },
  }),
  delta_lake: lake('Delta Lake'),
  iceberg: lake('Apache Iceberg'),
  google_drive: drive('Google Drive'),
  dropbox: drive('Dropbox'),
  onedrive: drive('OneDrive'),
  google_pubsub: later('Google Pub/Sub', 'streaming', {
    ...{ required: ['project', 'subscription'], authMethods: ['service_account'] },
  }),
  amazon_sqs: later('Amazon SQS', 'streaming', {
    ...{ required: ['queueUrl', 'region'], authMethods: ['access_key', 'iam_role'] },
  }),
  rabbitmq: later('RabbitMQ', 'streaming', {
    ...{ required: ['host', 'port', 'queue'], optional: ['vhost'], authMethods: ['basic'] },
  }),
  pulsar: later('Apache Pulsar', 'streaming', {
    ...{ required: ['serviceUrl', 'topic'], optional: ['subscription'], authMethods: ['token'] },
  }),
  dynamics365: instance('Dynamics 365', 'crm'),
  zoho_crm: instance('Zoho CRM', 'crm'),
  marketo: instance('Marketo', 'marketing'),
  mparticle: projectAnalytics('mParticle'),
  amplitude: projectAnalytics('Amplitude'),
  mixpanel: projectAnalytics('Mixpanel'),
  google_analytics: later('Google Analytics', 'marketing', {
    ...{ required: ['propertyId'], authMethods: ['service_account'] },
  }),
} as const satisfies Readonly<Record<string, ConnectorTypeInfo>>;

export type ConnectorType = keyof typeof connectorTypes;

const isFirst = (names: readonly string[]): names is readonly [ConnectorType, ...ConnectorType[]] => names.length > 0;
const typeNames = Object.keys(connectorTypes);
if (!isFirst(typeNames)) throw new Error('the table of connector types is empty');

/** Words of the types, in the table's order. */
export const connectorTypeNames: readonly [ConnectorType, ...ConnectorType[]] = typeNames;

/** Returns the table's entry for a type. */
export const connectorTypeInfo = (type: ConnectorType): ConnectorTypeInfo => connectorTypes[type];
