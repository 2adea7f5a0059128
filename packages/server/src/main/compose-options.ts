import type { MetricsSummary, Operation, ReadyChecks } from '@arbiter/contract';
import type { Config } from '../config.ts';
import type { Database, DatabaseAddress } from '../db/index.ts';
import type { OperatorSecrets } from '../http/binding/operator-secrets.ts';
import type { AnyHandler } from '../http/handler.ts';
import type { LoadShedder } from '../http/limits/load-shedding.ts';
import type { Authenticate } from '../http/principal.ts';
import type { Logger } from '../platform/logger.ts';
import type { Clock } from '../platform/time/clock.ts';
import type { MailConfig } from './mail.ts';

/** The part of the configuration that the composition reads. */
export type ComposeConfig = Pick<
  Config,
  | 'API_KEY_PEPPER'
  | 'APPROVAL_MAX_AGE_HOURS'
  | 'CRON_SECRET'
  | 'CRON_TOKEN'
  | 'DATA_DIR'
  | 'EXPORT_DIR'
  | 'JWT_SIGNING_SECRET'
  | 'NEXTAUTH_SECRET'
  | 'REDIS_URL'
  | 'DATA_ENCRYPTION_KEY'
  | 'DATA_ENCRYPTION_KEYS_OLD'
  | 'OUTBOUND_ALLOW_CIDRS'
  | 'OUTBOUND_HTTP_OK'
  | 'SSO_REDIRECT_ALLOWLIST'
  | 'REGISTRATION'
  | 'PLAYGROUND_MODE'
  | 'GOOGLE_CLIENT_ID'
  | 'GOOGLE_CLIENT_SECRET'
  | 'GOOGLE_ISSUER_URL'
  | 'DATABASE_POOL_MAX'
  | 'DEMO_MODE'
  | 'MAIL_RATE_PER_MINUTE'
  | 'METRICS_TENANT_LABEL'
  | 'METRICS_TOKEN'
  | 'PLAYGROUND_MODE'
  | 'REGISTRATION'
  | 'TRUSTED_PROXIES'
  | 'CORS_ALLOWED_ORIGINS'
  | 'RATE_LIMIT_DEFAULT_PER_MINUTE'
  | 'RECOMMEND_RATE_PER_MINUTE'
  | 'SENDGRID_WEBHOOK_PUBLIC_KEY'
  | 'SNS_TOPIC_ARNS'
  | 'WEBHOOK_SIGNING_SECRET'
  | 'WHATSAPP_APP_SECRET'
  | 'WHATSAPP_WEBHOOK_VERIFY_TOKEN'
> &
  MailConfig;

/** A test's operations, served alongside the real ones. */
export interface OperationsBeside {
  readonly operations: Readonly<Record<string, Operation>>;
  readonly handlers: readonly [string, AnyHandler][];
  readonly secrets: OperatorSecrets;
  /** Authenticates what the real server can't yet. */
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
  /** Tests: each success answer must match its schema. */
  readonly checkResponses?: boolean;
  readonly beside?: OperationsBeside;
  /** Tests: on a busy machine the event loop is late without the server having too much work. */
  readonly loadShedder?: LoadShedder;
  /**
   * For tests: the minimum time of answers that must not reveal by their timing who exists. Default `evenAnswersMs`.
   */
  readonly evenAnswersMs?: number;
  /** For tests: on a busy machine everything takes longer without anything hanging. */
  readonly patience?: {
    readonly acquireTimeoutMs: number;
    readonly statementTimeoutMs: number;
    readonly answerWithinMs: number;
  };
}
