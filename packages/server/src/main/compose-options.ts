import type { MetricsSummary, Operation, ReadyChecks } from '@arbiter/contract';
import type { Config } from '../config.ts';
import type { Database, DatabaseAddress } from '../db/index.ts';
import type { OpenReader } from '../features/data/connectors/index.ts';
import type { OperatorSecrets } from '../http/binding/operator-secrets.ts';
import type { AnyHandler } from '../http/handler.ts';
import type { LoadShedder } from '../http/limits/load-shedding.ts';
import type { Authenticate } from '../http/principal.ts';
import type { Logger } from '../platform/logger.ts';
import type { Clock } from '../platform/time/clock.ts';
import type { MailConfig } from './outbound/mail.ts';

/** The part of the configuration that the composition reads. */
export type ComposeConfig = Pick<
  Config,
  | 'API_KEY_PEPPER'
  | 'APPROVAL_MAX_AGE_HOURS'
  | 'ARCHIVE_AFTER_DAYS'
  | 'ARCHIVE_URL'
  | 'CONNECTOR_ENDPOINTS'
  | 'CONNECTOR_ROLES'
  | 'CORS_ALLOWED_ORIGINS'
  | 'CRON_SECRET'
  | 'CRON_TOKEN'
  | 'DATABASE_POOL_MAX'
  | 'DATA_DIR'
  | 'DATA_ENCRYPTION_KEY'
  | 'DATA_ENCRYPTION_KEYS_OLD'
  | 'DEMO_MODE'
  | 'EXPORT_DIR'
  | 'EXPORT_S3_URL'
  | 'GOOGLE_CLIENT_ID'
  | 'GOOGLE_CLIENT_SECRET'
  | 'GOOGLE_ISSUER_URL'
  | 'IMPORT_DIR'
  | 'JWT_SIGNING_SECRET'
  | 'LLM_API_KEY'
  | 'LLM_BASE_URL'
  | 'LLM_MODEL'
  | 'LLM_PROVIDER'
  | 'MAIL_RATE_PER_MINUTE'
  | 'METRICS_TENANT_LABEL'
  | 'METRICS_TOKEN'
  | 'NEXTAUTH_SECRET'
  | 'OUTBOUND_ALLOW_CIDRS'
  | 'OUTBOUND_HTTP_OK'
  | 'PLAYGROUND_MODE'
  | 'RATE_LIMIT_DEFAULT_PER_MINUTE'
  | 'RECOMMEND_RATE_PER_MINUTE'
  | 'REDIS_URL'
  | 'REGISTRATION'
  | 'SENDGRID_WEBHOOK_PUBLIC_KEY'
  | 'SNS_TOPIC_ARNS'
  | 'SSO_REDIRECT_ALLOWLIST'
  | 'STUDY_THREADS'
  | 'TRUSTED_PROXIES'
  | 'WEBHOOK_SIGNING_SECRET'
  | 'WHATSAPP_APP_SECRET'
  | 'WHATSAPP_WEBHOOK_VERIFY_TOKEN'
> &
  MailConfig;

/** Operations that only a test has, served with the real ones. */
export interface TestOperations {
  readonly operations: Readonly<Record<string, Operation>>;
  readonly handlers: readonly [string, AnyHandler][];
  readonly secrets: OperatorSecrets;
  /** Wraps the server's own authentication. */
  readonly authenticate: (real: Authenticate) => Authenticate;
}

export interface ComposeOptions {
  readonly config: ComposeConfig;
  /** For the application role. */
  readonly address: DatabaseAddress;
  /** The text of /metrics. Default: this process's metrics. */
  readonly metricsText?: () => Promise<string>;
  /** The answer of /metrics/summary. Default: this process's counts. */
  readonly metricsSummary?: (tenantId: string) => Promise<MetricsSummary>;
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly version: string;
  readonly readyChecks?: (database: Database) => Promise<ReadyChecks>;
  /** Folder of the built console. Default: packages/console/dist of this checkout. */
  readonly consoleFolder?: string;
  /** Tests: the page of proof files without a proof. Default: the one of the built console. */
  readonly proofTemplate?: () => Promise<string | null>;
  /** Tests: each success answer must match its schema. */
  readonly checkResponses?: boolean;
  readonly testOperations?: TestOperations;
  /** Tests: opens the sources of pipelines. Default: the readers of connectors. */
  readonly openReader?: OpenReader;
  /** Tests: on a busy machine the event loop is late without the server having too much work. */
  readonly loadShedder?: LoadShedder;
  /**
   * For tests: the minimum time of responses whose timing must not reveal who exists. Default: 300.
   */
  readonly evenAnswersMs?: number;
  /** Longest time of an analysis of conflicts that its caller waits for, in ms. Default: 2,000. Tests shorten it. */
  readonly analysisMs?: number;
  /** For tests: on a busy machine everything takes longer without anything hanging. */
  readonly patience?: {
    readonly acquireTimeoutMs: number;
    readonly statementTimeoutMs: number;
    readonly answerWithinMs: number;
    /** The other way round: how soon a language model is given up. */
    readonly modelMs?: number;
  };
}
