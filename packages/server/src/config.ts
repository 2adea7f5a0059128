import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import ipaddr from 'ipaddr.js';
import { type ArchiveLocation, readArchiveUrl } from './config/archive-location.ts';
import { type BucketSettings, readBucketUrl } from './config/bucket-settings.ts';
import { type MailSender, readSender, readSmtpUrl, type SmtpServer } from './config/mail-settings.ts';
import { readPublicKey } from './config/public-key.ts';

/**
 * Every environment variable of the server: the only module that reads `process.env`. docs/config.md is generated from
 * this table (tools/generate/config-docs.ts). Sources: docs/design/api-access.md 5.1 and 18.
 */

/** A variable as the table describes it. `read` throws an Error whose message completes "<NAME> ...". */
export interface Variable<T> {
  readonly group: string;
  readonly text: string;
  /** The default, as the documents show it. */
  readonly shown: string;
  readonly secret: boolean;
  /** A secret whose length others decide: a short one is no fault of the operator's. */
  readonly anyLength?: true;
  readonly read: (value: string) => T;
  readonly fallback: T;
}

type Group =
  | 'Listening'
  | 'Storage'
  | 'Secrets'
  | 'Startup and sign-up'
  | 'Background'
  | 'Email'
  | 'Webhooks of providers'
  | 'Language model'
  | 'Outbound'
  | 'Limits and observability';

function text(group: Group, about: string, fallback: string | null = null, shown?: string): Variable<string | null> {
  return { group, text: about, shown: shown ?? fallback ?? 'unset', secret: false, read: (value) => value, fallback };
}

function word(group: Group, about: string, fallback: string): Variable<string> {
  return { group, text: about, shown: fallback, secret: false, read: (value) => value, fallback };
}

function secret(group: Group, about: string): Variable<string | null> {
  return { group, text: about, shown: 'unset', secret: true, read: (value) => value, fallback: null };
}

/** A secret that someone else created: its length isn't checked. */
function foreignSecret(group: Group, about: string): Variable<string | null> {
  return { ...secret(group, about), anyLength: true };
}

function wholeNumber(
  group: Group,
  about: string,
  fallback: number,
  least: number,
  most: number,
  shown = String(fallback),
): Variable<number> {
  const read = (value: string) => {
    const number = /^[0-9]{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= least && number <= most)) throw new Error(`must be a whole number from ${least} to ${most}`);
    return number;
  };
  return { group, text: about, shown, secret: false, read, fallback };
}

/** A whole number, or 0 for none. */
function noneOrWhole(group: Group, about: string, fallback: number, least: number, most: number): Variable<number> {
  const number = wholeNumber(group, about, fallback, least, most);
  return { ...number, read: (value) => (value === '0' ? 0 : number.read(value)) };
}

/** A whole number, or `auto`: one for each core that this process may use. */
function wholeOrCores(group: Group, about: string, fallback: number, least: number, most: number): Variable<number> {
  const number = wholeNumber(group, about, fallback, least, most);
  const read = (value: string) => {
    if (value === 'auto') return Math.min(most, availableParallelism());
    if (!/^[0-9]+$/.test(value)) throw new Error(`must be a whole number from ${least} to ${most}, or auto`);
    return number.read(value);
  };
  return { ...number, read };
}

function onOff(group: Group, about: string, fallback: boolean): Variable<boolean> {
  return { ...onOffOr(group, about, fallback ? 'on' : 'off'), read: readOnOff, fallback };
}

/** On, off, or null when unset: the default then depends on something else. */
function onOffOr(group: Group, about: string, shown: string): Variable<boolean | null> {
  return { group, text: about, shown, secret: false, read: readOnOff, fallback: null };
}

function readOnOff(value: string): boolean {
  if (value === 'on' || value === 'true') return true;
  if (value === 'off' || value === 'false') return false;
  throw new Error('must be "on" or "off"');
}

function oneOf<const T extends string>(group: Group, about: string, values: readonly T[], fallback: T): Variable<T> {
  const read = (value: string) => {
    const found = values.find((each) => each === value);
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}`);
    return found;
  };
  return { group, text: about, shown: fallback, secret: false, read, fallback };
}

function list(group: Group, about: string, item: (value: string) => string): Variable<readonly string[]> {
  const read = (value: string) =>
    value
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '')
      .map(item);
  return { group, text: about, shown: 'none', secret: false, read, fallback: [] };
}

function readUrl(schemes: readonly string[]): (value: string) => string {
  return (value) => {
    const scheme = URL.canParse(value) ? new URL(value).protocol.slice(0, -1) : '';
    if (!schemes.includes(scheme)) throw new Error(`must be a URL that starts with ${schemes.join(':// or ')}://`);
    return value;
  };
}

function url(group: Group, about: string, schemes: readonly string[], shown = 'unset'): Variable<string | null> {
  return { group, text: about, shown, secret: false, read: readUrl(schemes), fallback: null };
}

function readOrigin(value: string): string {
  if (!/^https?:$/.test(URL.canParse(value) ? new URL(value).protocol : '') || new URL(value).origin !== value) {
    throw new Error(`must list exact origins such as https://console.example.com, not ${value}`);
  }
  return value;
}

function readNetwork(value: string): string {
  if (isIP(value) !== 0 || ipaddr.isValidCIDR(value)) return value;
  throw new Error(`must list IP addresses or networks such as 10.0.0.0/8, not ${value}`);
}

function readEndpoints(value: string): Readonly<Record<string, string>> {
  const problem = 'must be a JSON object from types of connectors to base URLs';
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    throw new Error(problem);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new Error(problem);
  return Object.fromEntries(
    Object.entries(parsed).map(([type, url]) => {
      if (typeof url !== 'string' || !URL.canParse(url)) throw new Error(problem);
      return [type, url.replace(/\/$/, '')];
    }),
  );
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const roleArn = /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/;

function readRoles(value: string): Readonly<Record<string, readonly string[]>> {
  const problem = 'must be a JSON object that maps tenant IDs to lists of role ARNs';
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    throw new Error(problem);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new Error(problem);
  return Object.fromEntries(
    Object.entries(parsed).map(([tenantId, roles]) => {
      const isList = Array.isArray(roles) && roles.every((role) => typeof role === 'string' && roleArn.test(role));
      if (!uuid.test(tenantId) || !isList) throw new Error(problem);
      return [tenantId.toLowerCase(), roles];
    }),
  );
}

function readTopicArn(value: string): string {
  if (/^arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_.-]{1,256}$/.test(value)) return value;
  throw new Error(`must list topics such as arn:aws:sns:eu-west-1:123456789012:ses, not ${value}`);
}

function readSendgridKey(value: string): string {
  readPublicKey(value);
  return value;
}

function readDataKey(value: string): string {
  if (!/^[A-Za-z0-9+/]{43}=$/.test(value)) throw new Error('must be 32 bytes in base64');
  return value;
}

function readNode(value: string): string {
  if (!/^[^\s:@/]+:\d{1,5}$/.test(value)) throw new Error(`must list nodes such as db2:5432, not ${value}`);
  return value;
}

/** It holds a password, so it can be in a file; its length isn't checked. */
function databaseUrl(about: string, shown = 'unset'): Variable<string | null> {
  return { ...url('Storage', about, ['postgres', 'postgresql'], shown), secret: true, anyLength: true };
}

export const variables = {
  PORT: wholeNumber('Listening', 'Port to listen on. 0 picks any free port.', 3000, 0, 65535),
  HOST: word('Listening', 'Address to listen on (0.0.0.0 in the container image).', '127.0.0.1'),
  PROCESSES: wholeOrCores(
    'Listening',
    'Number of server processes behind the port; one of them runs the background work. `auto`: one per core. See docs/guides/scaling.md.',
    1,
    1,
    64,
  ),
  NEXTAUTH_URL: url('Listening', 'Public URL of the server.', ['http', 'https'], '`http://localhost:<PORT>`'),
  TRUSTED_PROXIES: list(
    'Listening',
    'Addresses and networks whose X-Forwarded-For is trusted, separated by commas.',
    readNetwork,
  ),
  CORS_ALLOWED_ORIGINS: list(
    'Listening',
    'Exact origins that browsers may call from, separated by commas.',
    readOrigin,
  ),

  DATABASE_URL: databaseUrl(
    'PostgreSQL 15 to 18, as the application role: not a superuser, no BYPASSRLS, owner of nothing. Percent-encode special characters in the password. Unset: an embedded database in DATA_DIR.',
    'unset (embedded)',
  ),
  DATABASE_ADMIN_URL: databaseUrl(
    "The owner role, which migrates and creates the other roles, including the one in DATABASE_URL. Backups need a superuser or BYPASSRLS. If it is unset while DATABASE_URL is set, migrations don't run, as with MIGRATE=off.",
  ),
  DATABASE_DIRECT_URL: databaseUrl(
    'A direct connection to the same database, if DATABASE_URL goes through a pooler in transaction mode. Used for notifications, jobs and startup. Unset: DATABASE_URL.',
    'unset (DATABASE_URL)',
  ),
  DATABASE_WORKERS: list(
    'Storage',
    'Citus workers that decisions connect to directly: host:port as the coordinator lists them, separated by commas. Other workers are reached through the coordinator.',
    readNode,
  ),
  DATABASE_POOL_MAX: wholeNumber('Storage', 'Connections in the pool of each process.', 10, 2, 1000),
  DATA_DIR: word('Storage', 'Folder for the embedded database, generated secrets, the outbox and exports.', './data'),
  MIGRATE: onOff('Storage', 'Apply pending migrations at startup.', true),
  REDIS_URL: url('Storage', 'Redis for counting rate limits, instead of the database.', ['redis', 'rediss']),

  AUTO_SECRETS: onOffOr(
    'Secrets',
    'Generate missing JWT_SIGNING_SECRET, NEXTAUTH_SECRET, API_KEY_PEPPER and DATA_ENCRYPTION_KEY once and store them in DATA_DIR/secrets.json.',
    'on when embedded',
  ),
  API_KEY_PEPPER: secret(
    'Secrets',
    'Secret for hashing API keys and client secrets. Changing it invalidates all of them.',
  ),
  JWT_SIGNING_SECRET: secret('Secrets', 'Signs access tokens. Falls back to NEXTAUTH_SECRET.'),
  NEXTAUTH_SECRET: secret('Secrets', 'Signs sessions.'),
  DATA_ENCRYPTION_KEY: {
    ...secret('Secrets', '32 bytes in base64. Encrypts sealed records and stored secrets.'),
    read: readDataKey,
  },
  DATA_ENCRYPTION_KEYS_OLD: {
    ...list(
      'Secrets',
      'Previous values of DATA_ENCRYPTION_KEY, separated by commas. Still used for decryption.',
      readDataKey,
    ),
    secret: true,
  },

  BOOTSTRAP_FILE: text(
    'Startup and sign-up',
    'JSON file with tenants, users, keys and settings. Applied at every start.',
  ),
  DEMO_TENANT: onOff(
    'Startup and sign-up',
    'If the database is empty and BOOTSTRAP_FILE is unset: create a first tenant with an admin and an API key.',
    true,
  ),
  DEMO_DATA: onOff(
    'Startup and sign-up',
    'Load the demo pack into the first tenant. `npm start -- --empty` sets it to `off`.',
    true,
  ),
  DEMO_MODE: onOff('Startup and sign-up', 'Returned by /tenant/status as isDemoMode.', false),
  GOOGLE_CLIENT_ID: text(
    'Startup and sign-up',
    'Google sign-in: client ID. The redirect path is `/api/auth/callback/google`.',
  ),
  GOOGLE_CLIENT_SECRET: secret('Startup and sign-up', 'Google sign-in: client secret.'),
  GOOGLE_ISSUER_URL: {
    ...word(
      'Startup and sign-up',
      'Google sign-in: issuer. Set it to another OpenID provider in tests.',
      'https://accounts.google.com',
    ),
    read: readUrl(['https', 'http']),
  },
  REGISTRATION: onOff('Startup and sign-up', 'Anyone can sign up and gets a tenant of their own.', true),
  PLAYGROUND_MODE: onOff(
    'Startup and sign-up',
    'Tenants created by sign-up are playgrounds with a decision quota.',
    false,
  ),

  WORKER: onOff('Background', 'Run background jobs, in one process of this server.', true),
  WORKER_CONCURRENCY: wholeNumber('Background', 'Number of jobs to run at once.', 4, 1, 100),
  STUDY_THREADS: wholeNumber(
    'Background',
    'Number of threads for backtests and other studies. Each has its own database connection. Default: one fewer than the cores, at least 1.',
    Math.max(1, availableParallelism() - 1),
    1,
    64,
    'cores - 1',
  ),
  SCHEDULER: onOff(
    'Background',
    'Schedule alerts, segment refreshes, expiries, exports and reports. Leave it on everywhere: a lease decides which server does it. Maintenance runs wherever WORKER is on.',
    true,
  ),
  APPROVAL_MAX_AGE_HOURS: {
    ...wholeNumber(
      'Background',
      'Hours after which pending approvals expire. Other values are treated as unset.',
      168,
      1,
      876_000,
    ),
    // The one variable whose malformed value does not keep the server from starting.
    read: (value: string) =>
      /^[0-9]{1,6}$/.test(value) && Number(value) >= 1 && Number(value) <= 876_000 ? Number(value) : 168,
  },
  CRON_SECRET: secret('Background', 'Bearer token for /api/v1/cron/*, for an external scheduler. Unset: closed.'),
  CRON_TOKEN: secret('Background', 'Bearer token for /api/cron/tick, for an external scheduler. Unset: CRON_SECRET.'),
  EXPORT_DIR: text(
    'Background',
    "Folder for exports and audit chain anchors, shared by all nodes. Readable by the server's user only.",
    null,
    '`<DATA_DIR>/exports`',
  ),
  EXPORT_S3_URL: {
    ...foreignSecret(
      'Background',
      '`s3://key:secret@host[:port]/bucket[?region=]`: bucket for the files of campaigns with `destination: s3`, on AWS or any S3-compatible store. Percent-encode key and secret. `region` is us-east-1 by default; `&tls=off` uses plain HTTP. Objects are named `<tenant id>/<s3Path>/run-<number>-<run id>.<format>`.',
    ),
    read: readBucketUrl,
    fallback: null,
  } satisfies Variable<BucketSettings | null>,
  ARCHIVE_URL: {
    ...foreignSecret(
      'Background',
      'Folder or bucket for closed months of history, as Parquet files: `file:///folder`, shared by all nodes, or a bucket, `s3://key:secret@host[:port]/bucket[?region=]` as in EXPORT_S3_URL. Unset: nothing is archived. See docs/guides/archive.md.',
    ),
    read: readArchiveUrl,
    fallback: null,
  } satisfies Variable<ArchiveLocation | null>,
  ARCHIVE_AFTER_DAYS: wholeNumber(
    'Background',
    'Days from the end of a UTC month until its decisions, impressions and interactions are archived.',
    90,
    1,
    36_500,
  ),
  SHUTDOWN_GRACE_SECONDS: wholeNumber(
    'Background',
    'Maximum time for requests and jobs to finish after SIGTERM.',
    10,
    1,
    600,
  ),

  SES_FROM_EMAIL: {
    ...text(
      'Email',
      'Sender of email through Amazon SES: an address, or a name and <address>. Setting it enables SES.',
    ),
    read: readSender,
    fallback: null,
  } satisfies Variable<MailSender | null>,
  AWS_REGION: text('Email', 'Region of SES. Required with SES_FROM_EMAIL.'),
  AWS_ACCESS_KEY_ID: foreignSecret(
    'Email',
    'Access key for SES. Unset: the credentials that the AWS SDK finds on this machine (container or instance role, profile).',
  ),
  AWS_SECRET_ACCESS_KEY: foreignSecret('Email', 'Secret of the access key.'),
  AWS_SESSION_TOKEN: foreignSecret('Email', 'Session token of the access key, if it is temporary.'),
  SMTP_URL: {
    ...foreignSecret(
      'Email',
      '`smtp[s]://[user:password@]host[:port]`: the SMTP server, if SES is not used. `smtp` (port 587) starts unencrypted and upgrades to TLS, which is required if a password is sent to another machine; `smtps` (port 465) uses TLS from the start. Override with `?tls=required`, `?tls=if-offered` or `?tls=unverified` (accepts any certificate).',
    ),
    read: readSmtpUrl,
    fallback: null,
  } satisfies Variable<SmtpServer | null>,
  MAIL_FROM: {
    ...word(
      'Email',
      'Sender of email through SMTP and into files: an address, or a name and <address>.',
      'arbiter@localhost',
    ),
    read: readSender,
    fallback: { name: '', address: 'arbiter@localhost' },
  } satisfies Variable<MailSender>,
  MAIL_OUTBOX_DIR: text(
    'Email',
    "Folder for email if neither SES nor SMTP is configured: one `.eml` file per message, readable by the server's user only.",
    null,
    '`<DATA_DIR>/outbox`',
  ),

  WEBHOOK_SIGNING_SECRET: secret(
    'Webhooks of providers',
    'Key of the signature `X-Webhook-Signature` of /api/v1/webhooks/delivery. Unset: closed to such signatures. See docs/guides/delivery-callbacks.md.',
  ),
  WHATSAPP_APP_SECRET: foreignSecret(
    'Webhooks of providers',
    'App secret of the WhatsApp Cloud API, with which Meta signs calls of /api/v1/webhooks/whatsapp. Unset: closed.',
  ),
  WHATSAPP_WEBHOOK_VERIFY_TOKEN: secret(
    'Webhooks of providers',
    'Token that Meta sends when the WhatsApp webhook is set up. Unset: closed.',
  ),
  SENDGRID_WEBHOOK_PUBLIC_KEY: {
    ...text(
      'Webhooks of providers',
      "Verification key of SendGrid's signed event webhook: an ECDSA public key in base64, as the SendGrid console shows it. The server doesn't start with anything else. Unset: SendGrid's own signatures are not accepted.",
    ),
    read: readSendgridKey,
  },
  SNS_TOPIC_ARNS: list(
    'Webhooks of providers',
    "ARNs of the Amazon SNS topics with SES notifications, separated by commas. Unset: SNS's own signatures are not accepted.",
    readTopicArn,
  ),

  LLM_PROVIDER: oneOf(
    'Language model',
    "Who writes narratives of decisions and reports. `template`: the server itself. `anthropic`, `openai_compatible`: a language model, whose sentences are checked against the facts. The facts, with offers' names and compared attributes, are then sent to it.",
    ['template', 'anthropic', 'openai_compatible'],
    'template',
  ),
  LLM_BASE_URL: url(
    'Language model',
    "Base URL of the provider, such as `http://localhost:11434/v1`. Any address is allowed, private ones included. Unset: the provider's own.",
    ['http', 'https'],
  ),
  LLM_API_KEY: foreignSecret(
    'Language model',
    'API key of the provider. Optional only with `openai_compatible` and LLM_BASE_URL. While it is missing, narratives of decisions return 503 `not_configured`.',
  ),
  LLM_MODEL: text('Language model', 'Name of the model. Required unless LLM_PROVIDER is `template`.'),

  OUTBOUND_ALLOW_CIDRS: list(
    'Outbound',
    'Private networks that outbound calls may reach, separated by commas.',
    readNetwork,
  ),
  SSO_REDIRECT_ALLOWLIST: list(
    'Outbound',
    'Exact origins, in addition to that of NEXTAUTH_URL, to which identity providers may redirect browsers, separated by commas.',
    readOrigin,
  ),
  IMPORT_DIR: text(
    'Outbound',
    "Folder whose files connectors of type `csv` may read by `path`. Links that lead out of it aren't followed. Unset: none.",
    null,
    'unset',
  ),
  CONNECTOR_ENDPOINTS: {
    ...text(
      'Outbound',
      'JSON object from types of connectors to base URLs, which replace the addresses of providers. For tests and private gateways.',
      null,
      'none',
    ),
    read: readEndpoints,
    fallback: {},
  } satisfies Variable<Readonly<Record<string, string>>>,
  CONNECTOR_ROLES: {
    ...text(
      'Outbound',
      'JSON object that maps tenant IDs to lists of AWS role ARNs that connectors with `iam_role` can assume through this server.',
      null,
      'none',
    ),
    read: readRoles,
    fallback: {},
  } satisfies Variable<Readonly<Record<string, readonly string[]>>>,
  OUTBOUND_HTTP_OK: onOff('Outbound', 'Allow http destinations. For development only.', false),

  RATE_LIMIT_DEFAULT_PER_MINUTE: wholeNumber(
    'Limits and observability',
    'Rate limit per credential for routes without their own; 0 = none.',
    0,
    0,
    1_000_000,
  ),
  RECOMMEND_RATE_PER_MINUTE: wholeNumber(
    'Limits and observability',
    'Rate limit per tenant for recommend, respond and ingest, each; 0 = none.',
    0,
    0,
    100_000_000,
  ),
  MAIL_RATE_PER_MINUTE: noneOrWhole(
    'Limits and observability',
    "Maximum addresses per minute that one tenant's email destinations (`ops_email`) can send to. " +
      'Anything above waits or is rejected. A destination has up to 50 addresses; 0 = no limit.',
    1_000,
    50,
    1_000_000,
  ),
  METRICS_TENANT_LABEL: onOff(
    'Limits and observability',
    'Add the label `tenant` to decision metrics at /api/v1/metrics.',
    false,
  ),
  METRICS_TOKEN: secret('Limits and observability', 'Bearer token for /api/v1/metrics. Unset: closed.'),
  LOG_LEVEL: oneOf(
    'Limits and observability',
    'Minimum log level.',
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'info',
  ),
  NODE_ENV: text(
    'Limits and observability',
    "`production`: the server doesn't start with secrets shorter than 16 characters.",
  ),
} as const satisfies Record<string, Variable<unknown>>;

type ConfigValues = {
  readonly [K in keyof typeof variables]: ReturnType<(typeof variables)[K]['read']> | (typeof variables)[K]['fallback'];
};

/** The configuration, with the names of the environment, and what the reader should be told at start. */
export interface Config extends ConfigValues {
  readonly warnings: readonly string[];
  /** Names that were present but blank: they count as unset, and are never generated. */
  readonly blank: readonly string[];
}

/** The process exits with this code on a bad configuration (sysexits EX_CONFIG). */
export const configExitCode = 78;

/** The process exits with this code when its server processes end again and again (sysexits EX_SOFTWARE). */
export const crashLoopExitCode = 70;

/** A configuration that cannot be used; each problem names its variable. The process exits 78. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const shortestSecret = 16;

/**
 * Reads the configuration. Blank or white space is treated as unset (docs/design/quality.md T5). A secret can be in a file named by
 * `<NAME>_FILE` instead. Throws ConfigError with every problem at once.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const problems: string[] = [];
  const warnings: string[] = [];
  const blank: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, variable] of Object.entries<Variable<unknown>>(variables)) {
    values[name] = variable.fallback;
    try {
      const given = rawValue(name, variable, env);
      if (given === undefined) continue;
      const value = given.trim();
      if (value === '') {
        blank.push(name);
        if (variable.secret) warnings.push(`${name} is blank and treated as unset`);
        continue;
      }
      values[name] = variable.read(value);
      if (variable.secret && variable.anyLength !== true && value.length < shortestSecret) {
        const complaint = `${name} must be at least ${shortestSecret} characters`;
        if (env.NODE_ENV === 'production') problems.push(complaint);
        else warnings.push(complaint);
      }
    } catch (error) {
      problems.push(`${name} ${error instanceof Error ? error.message : error}`);
    }
  }
  if (values.DATABASE_ADMIN_URL !== null && values.DATABASE_URL === null) {
    problems.push('DATABASE_ADMIN_URL requires DATABASE_URL, the application role');
  }
  if (values.DATABASE_DIRECT_URL !== null && values.DATABASE_URL === null) {
    problems.push('DATABASE_DIRECT_URL requires DATABASE_URL, the same database through a pooler');
  }
  if (values.SES_FROM_EMAIL !== null && values.AWS_REGION === null) {
    problems.push('SES_FROM_EMAIL requires AWS_REGION, the region of SES');
  }
  if ((values.AWS_ACCESS_KEY_ID === null) !== (values.AWS_SECRET_ACCESS_KEY === null)) {
    problems.push('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together');
  }
  if (problems.length > 0) throw new ConfigError(problems);
  // Each entry was read by the variable of its name, or is its fallback.
  return { ...(values as ConfigValues), warnings, blank };
}

function rawValue(
  name: string,
  variable: Variable<unknown>,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const file = env[`${name}_FILE`]?.trim();
  if (!variable.secret || file === undefined || file === '') return env[name];
  if (env[name] !== undefined && env[name].trim() !== '') throw new Error(`and ${name}_FILE must not both be set`);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new Error(`can't be read: ${name}_FILE is not a readable file`);
  }
}

/** URL of the cluster that `npm test` started (tools/tests/run-tests.ts); null when a test file is run alone. */
export function readTestClusterUrl(env: NodeJS.ProcessEnv = process.env): string | null {
  return env.ARBITER_TEST_CLUSTER || null;
}

/** Folder of the cluster's nodes, `n0` for the coordinator, for tests that kill one; null without one. */
export function readTestCitusFolder(env: NodeJS.ProcessEnv = process.env): string | null {
  return env.ARBITER_TEST_CITUS_FOLDER || null;
}

/** URL of a Citus coordinator that tests create their databases on (test/citus); null without one. */
export function readTestCitusUrl(env: NodeJS.ProcessEnv = process.env): string | null {
  return env.ARBITER_TEST_CITUS || null;
}
