import type { ConnectorAuthMethod } from './connector-words.ts';

// Fields of the forms of connectors (docs/design/api-catalogue.md 14.1).

export const connectorFieldTypes = ['text', 'number', 'boolean', 'choice', 'json', 'list'] as const;

/** What a form needs to know of a key. */
export interface ConnectorKey {
  readonly label: string;
  readonly type: (typeof connectorFieldTypes)[number];
  readonly default?: string | number | boolean;
  /** Of a choice. */
  readonly options?: readonly string[];
}

const text = (label: string, byDefault?: string): ConnectorKey => ({
  ...{ label, type: 'text' },
  ...(byDefault === undefined ? {} : { default: byDefault }),
});
const number = (label: string, byDefault?: number): ConnectorKey => ({
  ...{ label, type: 'number' },
  ...(byDefault === undefined ? {} : { default: byDefault }),
});
const flag = (label: string, byDefault: boolean): ConnectorKey => ({ label, type: 'boolean', default: byDefault });
const json = (label: string): ConnectorKey => ({ label, type: 'json' });
const choice = (label: string, options: readonly [string, ...string[]], byDefault = options[0]): ConnectorKey => ({
  ...{ label, type: 'choice', default: byDefault, options },
});

/** Keys of `config`, which mean the same in every type. */
export const connectorConfigKeys = {
  account: text('Account'),
  apiVersion: text('API version'),
  baseId: text('Base ID'),
  bootstrapServers: text('Bootstrap servers'),
  bucket: text('Bucket'),
  catalog: text('Catalog'),
  collection: text('Collection'),
  companyDomain: text('Company domain'),
  compression: choice('Compression', ['none', 'gzip']),
  container: text('Container'),
  database: text('Database'),
  dataset: text('Dataset'),
  delimiter: text('Delimiter', ','),
  domain: text('Domain'),
  encoding: text('Encoding', 'utf-8'),
  endpoint: text('Endpoint'),
  filter: json('Filter'),
  folder: text('Folder'),
  format: choice('Format', ['csv', 'tsv', 'json', 'jsonl', 'parquet']),
  fromBeginning: flag('Read from the beginning', true),
  groupId: text('Group ID'),
  header: flag('The first line names the columns', true),
  headers: json('Headers'),
  host: text('Host'),
  hostKey: text('Host key'),
  hosts: text('Hosts'),
  httpPath: text('HTTP path'),
  idType: text('ID type', 'user_id'),
  index: text('Index'),
  instanceUrl: text('Instance URL'),
  keyspace: text('Keyspace'),
  listId: text('List ID'),
  location: text('Location'),
  maxMessages: number('Maximum messages', 1000),
  maxWaitMs: number('Maximum wait in milliseconds', 15_000),
  method: choice('Method', ['GET', 'POST']),
  order: choice('Order', ['name', 'mtime']),
  outputLocation: text('Output location'),
  pageSize: number('Page size'),
  pagination: json('Pagination'),
  path: text('Path'),
  pattern: text('Pattern'),
  port: number('Port'),
  project: text('Project'),
  projectId: text('Project ID'),
  propertyId: text('Property ID'),
  query: json('Query'),
  queue: text('Queue'),
  queueUrl: text('Queue URL'),
  region: text('Region'),
  resource: text('Resource'),
  responseRowsPath: text('Path of the rows'),
  restEndpoint: text('REST endpoint'),
  role: text('Role'),
  rowLimit: number('Row limit', 100_000),
  schema: text('Schema'),
  serviceUrl: text('Service URL'),
  shop: text('Shop'),
  since: text('Changed since'),
  sourceTable: text('Source table'),
  spaceId: text('Space ID'),
  ssl: choice('TLS', ['disable', 'require', 'verify_full'], 'require'),
  storageAccount: text('Storage account'),
  storeHash: text('Store hash'),
  streamName: text('Stream'),
  subdomain: text('Subdomain'),
  subscription: text('Subscription'),
  table: text('Table'),
  tableName: text('Table'),
  tls: flag('TLS', false),
  topic: text('Topic'),
  url: text('URL'),
  variables: json('Variables'),
  vhost: text('Virtual host'),
  view: text('View'),
  warehouse: text('Warehouse'),
  watermarkColumn: text('Watermark column'),
  writeKey: text('Write key'),
} as const satisfies Readonly<Record<string, ConnectorKey>>;
export type ConnectorConfigKey = keyof typeof connectorConfigKeys;

/** A value of `authConfig`. */
export interface ConnectorAuthField extends ConnectorKey {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
}

const plain = (name: string, label: string, isRequired = true): ConnectorAuthField => ({
  ...{ name, label, type: 'text', isRequired, isSecret: false },
});
const secret = (name: string, label: string, isRequired = true): ConnectorAuthField => ({
  ...{ name, label, type: 'text', isRequired, isSecret: true },
});
const userName = plain('username', 'User name');
const password = secret('password', 'Password');
const privateKey = [userName, secret('privateKey', 'Private key'), secret('passphrase', 'Passphrase', false)];

/** The sets of values that `authConfig` can have. */
export const connectorAuthFields: Readonly<Record<ConnectorAuthMethod, readonly ConnectorAuthField[]>> = {
  basic: [userName, password],
  access_key: [
    plain('accessKeyId', 'Access key ID'),
    secret('secretAccessKey', 'Secret access key'),
    secret('sessionToken', 'Session token', false),
  ],
  iam_role: [plain('roleArn', 'Role ARN'), plain('externalId', 'External ID', false)],
  service_account: [secret('serviceAccountJson', 'Service account JSON')],
  account_key: [secret('accountKey', 'Account key')],
  sas_token: [secret('sasToken', 'SAS token')],
  ssh_key: privateKey,
  key_pair: privateKey,
  sasl: [
    {
      ...{ name: 'mechanism', isRequired: true, isSecret: false },
      ...choice('Mechanism', ['plain', 'scram-sha-256', 'scram-sha-512']),
    },
    userName,
    password,
  ],
  token: [secret('accessToken', 'Access token')],
  api_key: [secret('apiKey', 'API key')],
  oauth2: [
    plain('clientId', 'Client ID'),
    secret('clientSecret', 'Client secret'),
    secret('refreshToken', 'Refresh token', false),
    plain('tokenUrl', 'Token URL', false),
  ],
  connection_string: [secret('connectionString', 'Connection string')],
  none: [],
};
