import type { Operation } from '@arbiter/contract/core/operation';

/** How records of a type are found and named. */
export interface ReferenceSource {
  /** Records are named by this property instead of their ID. Their list finds it as a search. */
  readonly by?: 'key' | 'name';
  readonly list: Operation;
  readonly get: Operation;
}

/** Records that properties of other records refer to, by entity type. Each loads the schemas of its own operations only. */
export const referenceSources: Readonly<Record<string, () => Promise<ReferenceSource>>> = {
  async category() {
    const { categoryOperations } = await import('@arbiter/contract/catalogue/categories');
    return categoryOperations;
  },
  async subCategory() {
    const { subCategoryOperations } = await import('@arbiter/contract/catalogue/categories');
    return subCategoryOperations;
  },
  async channel() {
    const { channelOperations } = await import('@arbiter/contract/catalogue/channels');
    return channelOperations;
  },
  async placement() {
    const { placementOperations } = await import('@arbiter/contract/catalogue/placements');
    return placementOperations;
  },
  async offer() {
    const { offerOperations } = await import('@arbiter/contract/catalogue/offers');
    return offerOperations;
  },
  async creative() {
    const { creativeOperations } = await import('@arbiter/contract/catalogue/creatives');
    return creativeOperations;
  },
  async contentItem() {
    const { contentOperations } = await import('@arbiter/contract/catalogue/content');
    return contentOperations;
  },
  async segment() {
    const { segmentOperations } = await import('@arbiter/contract/catalogue/segments');
    return segmentOperations;
  },
  async decisionFlow() {
    const { decisionFlowOperations } = await import('@arbiter/contract/catalogue/decision-flows');
    return decisionFlowOperations;
  },
  async offerName() {
    const { offerOperations } = await import('@arbiter/contract/catalogue/offers');
    return { ...offerOperations, by: 'name' };
  },
  async creativeName() {
    const { creativeOperations } = await import('@arbiter/contract/catalogue/creatives');
    return { ...creativeOperations, by: 'name' };
  },
  async segmentName() {
    const { segmentOperations } = await import('@arbiter/contract/catalogue/segments');
    return { ...segmentOperations, by: 'name' };
  },
  async placementName() {
    const { placementOperations } = await import('@arbiter/contract/catalogue/placements');
    return { ...placementOperations, by: 'name' };
  },
  async channelKey() {
    const { channelOperations } = await import('@arbiter/contract/catalogue/channels');
    return { ...channelOperations, by: 'key' };
  },
  async outcomeTypeKey() {
    const { outcomeTypeOperations } = await import('@arbiter/contract/catalogue/outcome-types');
    return { ...outcomeTypeOperations, by: 'key' };
  },
  async modelKey() {
    const { algorithmModelOperations } = await import('@arbiter/contract/catalogue/algorithm-models');
    return { ...algorithmModelOperations, by: 'key' };
  },
  async behavioralMetric() {
    const { behavioralMetricOperations } = await import('@arbiter/contract/data/behavioral-metrics');
    return behavioralMetricOperations;
  },
  async qualificationRule() {
    const { qualificationRuleOperations } = await import('@arbiter/contract/catalogue/qualification-rules');
    return qualificationRuleOperations;
  },
  async contactPolicy() {
    const { contactPolicyOperations } = await import('@arbiter/contract/catalogue/contact-policies');
    return contactPolicyOperations;
  },
  async rankingProfile() {
    const { rankingProfileOperations } = await import('@arbiter/contract/catalogue/ranking-profiles');
    return rankingProfileOperations;
  },
  async flowKey() {
    const { decisionFlowOperations } = await import('@arbiter/contract/catalogue/decision-flows');
    return { ...decisionFlowOperations, by: 'key' };
  },
  async experimentKey() {
    const { experimentOperations } = await import('@arbiter/contract/catalogue/experiments');
    return { ...experimentOperations, by: 'key' };
  },
  async schemaJoin() {
    const { schemaJoinOperations } = await import('@arbiter/contract/catalogue/schema-joins');
    return schemaJoinOperations;
  },
  async dataSchema() {
    const { schemaOperations } = await import('@arbiter/contract/catalogue/schemas');
    return schemaOperations;
  },
};
