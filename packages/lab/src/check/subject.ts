import type { Json, Plan, PlanOffer, Snapshot, SnapshotOffer, ZoneClock } from '@arbiter/engine';
import type { Formula } from './formula.ts';
import type { Solver } from './solver.ts';

/** Attacks every "never". Returns the ids of offers that someone gets after all. */
export type Guard = (
  input: CheckInput,
  solver: Solver,
  nevers: readonly PlanOffer[],
) => Generator<void, ReadonlySet<string>>;

/** What a check reads besides the catalogue. The clock of zones is the caller's, as the engine has none. */
export interface CheckInput {
  readonly snapshot: Snapshot;
  /** Compiled from the snapshot. */
  readonly plan: Plan;
  /** Epoch ms from which customers may come. */
  readonly now: number;
  readonly clockAt: (zone: string, at: number) => ZoneClock;
  /** IDs of offers without stock. */
  readonly soldOut?: readonly string[] | undefined;
  /** Names of segments without members, by id and by name. */
  readonly emptySegments?: ReadonlyMap<string, string> | undefined;
  /** All texts that customers have, by the name of the value. Names with others too, and those without any, are left out. */
  readonly knownTexts?: ReadonlyMap<string, readonly string[]> | undefined;
  /** Absent: 10,000 generated customers. */
  readonly guard?: Guard | undefined;
  /** Offers to check; absent: all. */
  readonly offerIds?: readonly string[] | undefined;
}

export const subjectTypes = [
  'offer',
  'creative',
  'placement',
  'qualificationRule',
  'contactPolicy',
  'decisionFlow',
  'flowNode',
] as const;
export type SubjectType = (typeof subjectTypes)[number];

/** A record or a part of one. `path`: JSON Pointer to the part; empty for the whole. */
export interface Subject {
  readonly type: SubjectType;
  readonly id: string;
  readonly name: string;
  readonly path: string;
}

/** When something is open: at certain weekly hours of a zone, or from one instant until another. */
export interface TimeLimit {
  readonly zone: string;
  readonly from: number;
  readonly until: number;
  /** Whether hour and weekday are open, whatever the date. */
  opensIn(clock: Pick<ZoneClock, 'hour' | 'weekday'>): boolean;
  opensAt(at: number, clock: ZoneClock): boolean;
}

/** A condition on the way of an offer. */
export interface Gate extends Subject {
  /** One text for each gate: the same on every way. */
  readonly key: string;
  readonly formula: Formula;
  readonly time: TimeLimit | null;
  /** The snapshot without the gate; null: it can't be taken away by a change of the catalogue. */
  readonly without: ((snapshot: Snapshot) => Snapshot) | null;
}

/** Returns the snapshot with another state of one offer. */
export const changeOffer =
  (id: string, change: Partial<SnapshotOffer>) =>
  (snapshot: Snapshot): Snapshot => ({
    ...snapshot,
    offers: snapshot.offers.map((offer) => (offer.id === id ? { ...offer, ...change } : offer)),
  });

/** Returns the snapshot with another config of one node of its flow. */
export const changeNode =
  (id: string, change: Readonly<Record<string, Json>>) =>
  (snapshot: Snapshot): Snapshot => ({
    ...snapshot,
    flow: {
      ...snapshot.flow,
      config: {
        ...snapshot.flow.config,
        nodes: snapshot.flow.config.nodes.map((node) =>
          node.id === id ? { ...node, config: { ...node.config, ...change } } : node,
        ),
      },
    },
  });
