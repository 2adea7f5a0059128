import { account } from '../features/account/index.ts';
import { apiKeys } from '../features/api-keys/index.ts';
import { approvals } from '../features/approvals/index.ts';
import { audit } from '../features/audit/index.ts';
import { categories } from '../features/categories/index.ts';
import { channels } from '../features/channels/index.ts';
import { content } from '../features/content/index.ts';
import { creatives } from '../features/creatives/index.ts';
import { customers } from '../features/customers/index.ts';
import { decisionTests } from '../features/decision-tests/index.ts';
import { decisions } from '../features/decisions/index.ts';
import { destinations } from '../features/destinations/index.ts';
import { flowRoutes } from '../features/flow-routes/index.ts';
import { flows } from '../features/flows/index.ts';
import { health } from '../features/health/index.ts';
import { home } from '../features/home/index.ts';
import { oauthClients } from '../features/oauth-clients/index.ts';
import { offers } from '../features/offers/index.ts';
import { outcomes } from '../features/outcomes/index.ts';
import { people } from '../features/people/index.ts';
import { policies } from '../features/policies/index.ts';
import { rankingProfiles } from '../features/ranking-profiles/index.ts';
import { rules } from '../features/rules/index.ts';
import { schemas } from '../features/schemas/index.ts';
import { segments } from '../features/segments/index.ts';
import { settings } from '../features/settings/index.ts';
import { signIn } from '../features/sign-in/index.ts';
import { singleSignOn } from '../features/single-sign-on/index.ts';
import { studies } from '../features/studies/index.ts';
import { suppressions } from '../features/suppressions/index.ts';
import type { Feature, Screen } from '../route/feature.ts';

/** Every feature, in the order of tiers. Routes, sidebar and palette are built from this list. */
export const features: readonly Feature[] = [
  account,
  apiKeys,
  destinations,
  oauthClients,
  people,
  settings,
  signIn,
  singleSignOn,
  categories,
  channels,
  content,
  creatives,
  offers,
  outcomes,
  policies,
  rankingProfiles,
  rules,
  schemas,
  segments,
  suppressions,
  customers,
  decisions,
  flows,
  flowRoutes,
  decisionTests,
  studies,
  approvals,
  audit,
  health,
  home,
];

/** Every screen, for tests. */
export const screens: readonly Screen[] = features.flatMap((each) => each.screens);
