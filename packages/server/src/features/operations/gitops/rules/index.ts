import { connectorRules } from './connectors.ts';
import { contentRules } from './content.ts';
import { decisionTestRules } from './decision-tests.ts';
import { flowRouteRules } from './flow-routes.ts';
import { flowRules } from './flows.ts';
import type { KindRules } from './kind-rules.ts';
import { modelRules } from './models.ts';
import { offerRules } from './offers.ts';
import { outcomeTypeRules } from './outcome-types.ts';
import { schemaRules } from './schemas.ts';

/** What some resources need beyond their description, by entity type. One that is not here needs nothing. */
export const kindRules: Readonly<Record<string, KindRules>> = {
  algorithmModel: modelRules,
  connector: connectorRules,
  contentItem: contentRules,
  dataSchema: schemaRules,
  decisionFlow: flowRules,
  decisionTest: decisionTestRules,
  flowRoute: flowRouteRules,
  offer: offerRules,
  outcomeType: outcomeTypeRules,
};
