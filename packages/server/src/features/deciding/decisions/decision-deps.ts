import type { KeyObject } from 'node:crypto';
import type { ZoneClock } from '@arbiter/engine';
import type { Database, HotPath } from '../../../db/index.ts';
import type { Envelope } from '../../../platform/crypto/crypto.ts';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import type { Clock } from '../../../platform/time/clock.ts';
import type { CustomerKeys, KeyedHash } from '../customer-states/index.ts';
import type { DecisionMetrics } from './metrics.ts';
import type { CallSignal } from './queue/call-signal.ts';

export interface DecisionDeps {
  readonly database: Database;
  readonly hot: HotPath;
  /** Connections of simulations and customer tools, so that real decisions never wait for one of theirs. */
  readonly previewPath: HotPath;
  /** For chunks of campaigns. */
  readonly chunkPath: HotPath;
  readonly keys: CustomerKeys;
  readonly customerHash: KeyedHash;
  readonly clock: Clock;
  readonly zoneClock: (zone: string, now: number) => ZoneClock;
  readonly metrics: DecisionMetrics;
  /** Key from which the keys of anonymous ids are derived, per tenant; null: no DATA_ENCRYPTION_KEY. */
  readonly anonymousKey: KeyObject | null;
  /** Called for each catalogue lookup with whether memory had it. */
  readonly onCatalogueAsked?: (known: boolean) => void;
  /** Calls webhooks of flows. */
  readonly outbound: Pick<Outbound, 'call'>;
  /** Opens what flows hide of them; null: no DATA_ENCRYPTION_KEY. */
  readonly envelope: Envelope | null;
  /** Makes chunks give way to calls. */
  readonly callSignal: CallSignal;
  readonly onError: (error: unknown) => void;
}
