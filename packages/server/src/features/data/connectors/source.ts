import type { ConnectorAuthMethod, ConnectorTest, ConnectorType } from '@arbiter/contract';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import type { OutboundSockets } from '../../../platform/outbound/outbound-sockets.ts';
import type { Drivers } from '../../../platform/packages/optional-drivers.ts';
import type { AwsRoles } from '../../../platform/sources/aws-roles.ts';
import { SourceError } from '../../../platform/sources/source-error.ts';
import type { RowKeys, SourceReader } from './reader.ts';
import type { ConnectorValues } from './secrets.rules.ts';

/** A source to connect to, with its secrets in clear. */
export interface Source {
  readonly tenantId: string;
  readonly type: ConnectorType;
  readonly method: ConnectorAuthMethod;
  /** Settings and credentials together. */
  readonly config: ConnectorValues;
}

/** What probes and readers need from the process. */
export interface SourceDeps {
  readonly outbound: Outbound;
  readonly sockets: OutboundSockets;
  readonly drivers: Drivers;
  readonly awsRoles: AwsRoles;
  /** IMPORT_DIR; null: no file can be read. */
  readonly importFolder: string | null;
  /** Base URLs instead of the providers', by type (CONNECTOR_ENDPOINTS). */
  readonly endpoints: Readonly<Record<string, string>>;
}

/** What a successful probe found. */
export interface ProbeResult {
  readonly details: ConnectorTest['details'];
  readonly rowCount?: number;
}

/** How sources of some types are tested and read. Both throw SourceError. */
export interface SourceKind {
  probe(deps: SourceDeps, source: Source, signal: AbortSignal): Promise<ProbeResult>;
  /** `rowKeys`: row keys of the load's target. */
  open(deps: SourceDeps, source: Source, rowKeys?: RowKeys): SourceReader;
}

/** Milliseconds for a test in all, and for a connection of a read. */
export const probeMs = 5_000;
export const connectMs = 10_000;

/** Returns a setting as text; undefined without it. */
export function textOf({ config }: Pick<Source, 'config'>, key: string): string | undefined {
  const value = config[key];
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns a required setting as text. Throws SourceError `missing_config`. */
export function requiredText(source: Pick<Source, 'config'>, key: string): string {
  const value = textOf(source, key);
  if (value === undefined) throw new SourceError('missing_config');
  return value;
}

/** Returns a setting as a whole number. Throws SourceError `missing_config` for any other value. */
export function numberOf(source: Pick<Source, 'config'>, key: string, byDefault: number): number {
  const text = textOf(source, key);
  if (text === undefined) return byDefault;
  if (!/^\d{1,12}$/.test(text)) throw new SourceError('missing_config');
  return Number(text);
}

/** Returns a setting that is on or off. */
export function flagOf({ config }: Pick<Source, 'config'>, key: string, byDefault: boolean): boolean {
  const value = config[key];
  if (value === undefined || value === null) return byDefault;
  return value === true || value === 'true';
}
