import type { DecisionInput } from '@arbiter/engine';
import { seedOf } from '../../sealed-records/index.ts';

/** Returns an input that computes its seed on first use, because most flows never need chance. */
export function seeded(tenantId: string, facts: Omit<DecisionInput, 'seed'>): DecisionInput {
  return new SeededInput(tenantId, facts);
}

// A class, because an object's own getter would be created for every decision.
class SeededInput implements DecisionInput {
  readonly now: DecisionInput['now'];
  readonly zones: DecisionInput['zones'];
  readonly request: DecisionInput['request'];
  readonly known: DecisionInput['known'];
  readonly profile: DecisionInput['profile'];
  readonly enriched: DecisionInput['enriched'];
  readonly segments: DecisionInput['segments'];
  readonly contacts: DecisionInput['contacts'];
  readonly outcomes: DecisionInput['outcomes'];
  readonly suppressions: DecisionInput['suppressions'];
  readonly soldOut: DecisionInput['soldOut'];
  readonly volumes: DecisionInput['volumes'];
  readonly evidence: DecisionInput['evidence'];
  readonly modelStates: DecisionInput['modelStates'];
  readonly openBreakers: DecisionInput['openBreakers'];
  readonly objectiveCounts: DecisionInput['objectiveCounts'];
  readonly experiments: DecisionInput['experiments'];
  readonly joinTruncated: DecisionInput['joinTruncated'];
  readonly external: DecisionInput['external'];
  readonly quotaLeft: DecisionInput['quotaLeft'];
  readonly #tenantId: string;

  constructor(tenantId: string, facts: Omit<DecisionInput, 'seed'>) {
    this.now = facts.now;
    this.zones = facts.zones;
    this.request = facts.request;
    this.known = facts.known;
    this.profile = facts.profile;
    this.enriched = facts.enriched;
    this.segments = facts.segments;
    this.contacts = facts.contacts;
    this.outcomes = facts.outcomes;
    this.suppressions = facts.suppressions;
    this.soldOut = facts.soldOut;
    this.volumes = facts.volumes;
    this.evidence = facts.evidence;
    this.modelStates = facts.modelStates;
    this.openBreakers = facts.openBreakers;
    this.objectiveCounts = facts.objectiveCounts;
    this.experiments = facts.experiments;
    this.joinTruncated = facts.joinTruncated;
    this.external = facts.external;
    this.quotaLeft = facts.quotaLeft;
    this.#tenantId = tenantId;
  }

  get seed(): string {
    return seedOf(this.#tenantId, this.request.requestId);
  }
}
