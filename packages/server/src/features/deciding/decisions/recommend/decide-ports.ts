import type { ZoneClock } from '@arbiter/engine';
import type { HotPath } from '../../../../db/index.ts';
import type { Breaker } from '../../../../platform/outbound/breaker.ts';
import type { Clock } from '../../../../platform/time/clock.ts';
import type { ModelStateKeeper } from '../../../catalogue/models/index.ts';
import type { CustomerKeys } from '../../customer-states/index.ts';
import type { EvidenceKeeper } from '../../evidence/index.ts';
import type { CountsKeeper } from '../../objectives/index.ts';
import type { TenantCatalogue } from '../../plans/index.ts';
import type { Seal } from '../../sealed-records/index.ts';
import type { VolumeRef } from '../../volumes/index.ts';
import type { DecisionCounts } from '../minutes/decision-counts.ts';
import type { DecisionMinutes } from '../minutes/decision-minutes.ts';
import type { WaitingRoom } from '../queue/waiting-room.ts';
import type { StageWatch } from '../traces/stage-clock.ts';
import type { PreparedJob } from './decide-job.ts';

/** What a batch of decisions needs from the rest of the server. */
export interface DecidePorts {
  readonly hot: HotPath;
  readonly catalogues: {
    get(tenantId: string): Promise<TenantCatalogue>;
    /** Reads the catalogue again when it is older than `version`. */
    refresh(tenantId: string, version: number): Promise<TenantCatalogue>;
    /** ms since this process last knew the version to be the newest. */
    ageMs(tenantId: string): number;
    confirmed(tenantId: string): void;
    /** Makes and publishes the base flow for a tenant without a runnable one. */
    makeBaseFlow(tenantId: string): Promise<TenantCatalogue>;
  };
  /** Fills volumes that a plan asks for for the first time, in a transaction of its own. */
  readonly makeVolumes: (catalogue: TenantCatalogue, refs: readonly VolumeRef[]) => Promise<void>;
  readonly evidence: EvidenceKeeper;
  readonly models: Pick<ModelStateKeeper, 'get'>;
  /** By tenant and model. See `modelBreakerKey`. */
  readonly modelBreaker: Breaker;
  readonly objectiveCounts: Pick<CountsKeeper, 'get'>;
  readonly keys: CustomerKeys;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly zoneClock: (zone: string, now: number) => ZoneClock;
  /** Where work waits for customers that someone else holds. */
  readonly waitingRoom: WaitingRoom;
  /** Asks webhooks for a job that has left its batch, then queues it again. */
  readonly askFirst: (catalogue: TenantCatalogue, prepared: PreparedJob) => void;
  readonly observe: (tenantId: string, batchSize: number, counts: DecisionCounts, configAgeMs: number) => void;
  readonly minutes: Pick<DecisionMinutes, 'decided'>;
  readonly stages: StageWatch;
  /** Seconds that a batch spent on `load` or `commit`. */
  readonly batchStage: (stage: 'load' | 'commit', seconds: number) => void;
}
