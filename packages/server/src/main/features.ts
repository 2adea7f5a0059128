import { resets as databaseResets } from '../db/tables.ts';
import type { Feature, Resets } from '../feature.ts';
import { accountsFeature } from '../features/accounts/index.ts';
import { adminFeature } from '../features/admin/index.ts';
import { alertsFeature } from '../features/alerts/index.ts';
import { approvalsFeature } from '../features/approvals/index.ts';
import { auditFeature } from '../features/audit/index.ts';
import { catalogueHistoryFeature } from '../features/catalogue-history/index.ts';
import { categoriesFeature } from '../features/categories/index.ts';
import { channelsFeature } from '../features/channels/index.ts';
import { consoleFeature } from '../features/console/index.ts';
import { contactPoliciesFeature } from '../features/contact-policies/index.ts';
import { contentFeature } from '../features/content/index.ts';
import { creativesFeature } from '../features/creatives/index.ts';
import { credentialsFeature } from '../features/credentials/index.ts';
import { customerStatesFeature } from '../features/customer-states/index.ts';
import { customerToolsFeature } from '../features/customer-tools/index.ts';
import { decisionsFeature } from '../features/decisions/index.ts';
import { erasureFeature } from '../features/erasure/index.ts';
import { estimatesFeature } from '../features/estimates/index.ts';
import { evidenceFeature } from '../features/evidence/index.ts';
import { exportsFeature } from '../features/exports/index.ts';
import { flowRoutesFeature } from '../features/flow-routes/index.ts';
import { flowsFeature } from '../features/flows/index.ts';
import { gitopsFeature } from '../features/gitops/index.ts';
import { googleFeature } from '../features/google/index.ts';
import { historyImportFeature } from '../features/history-import/index.ts';
import { identitiesFeature } from '../features/identities/index.ts';
import { interactionsFeature } from '../features/interactions/index.ts';
import { mailFeature } from '../features/mail/index.ts';
import { maintenanceFeature } from '../features/maintenance/index.ts';
import { modelLearningFeature } from '../features/model-learning/index.ts';
import { modelsFeature } from '../features/models/index.ts';
import { notificationsFeature } from '../features/notifications/index.ts';
import { objectivesFeature } from '../features/objectives/index.ts';
import { offersFeature } from '../features/offers/index.ts';
import { outcomesFeature } from '../features/outcomes/index.ts';
import { plansFeature } from '../features/plans/index.ts';
import { preferencesFeature } from '../features/preferences/index.ts';
import { qualificationFeature } from '../features/qualification/index.ts';
import { rankingProfilesFeature } from '../features/ranking-profiles/index.ts';
import { reportsFeature } from '../features/reports/index.ts';
import { restoreFeature } from '../features/restore/index.ts';
import { retentionFeature } from '../features/retention/index.ts';
import { schemasFeature } from '../features/schemas/index.ts';
import { scimFeature } from '../features/scim/index.ts';
import { sealedRecordsFeature } from '../features/sealed-records/index.ts';
import { secondFactorFeature } from '../features/second-factor/index.ts';
import { seedPacksFeature } from '../features/seed-packs/index.ts';
import { segmentsFeature } from '../features/segments/index.ts';
import { sessionsFeature } from '../features/sessions/index.ts';
import { settingsFeature } from '../features/settings/index.ts';
import { signInPagesFeature } from '../features/sign-in-pages/index.ts';
import { simulationsFeature } from '../features/simulations/index.ts';
import { ssoFeature } from '../features/sso/index.ts';
import { streamFeature } from '../features/stream/index.ts';
import { suppressionsFeature } from '../features/suppressions/index.ts';
import { tenantsFeature } from '../features/tenants/index.ts';
import { usersFeature } from '../features/users/index.ts';
import { volumesFeature } from '../features/volumes/index.ts';
import { whyNotFeature } from '../features/why-not/index.ts';
import { resets as httpResets } from '../http/tables.ts';
import { resets as jobResets } from '../jobs/tables.ts';
import type { JobPorts, Ports } from './ports.ts';

/** Every feature of the product. ports.ts provides what they need from outside. */
export const features: readonly Feature<Ports, JobPorts>[] = [
  accountsFeature,
  adminFeature,
  alertsFeature,
  approvalsFeature,
  auditFeature,
  catalogueHistoryFeature,
  categoriesFeature,
  channelsFeature,
  consoleFeature,
  contactPoliciesFeature,
  contentFeature,
  creativesFeature,
  credentialsFeature,
  customerStatesFeature,
  customerToolsFeature,
  decisionsFeature,
  erasureFeature,
  estimatesFeature,
  evidenceFeature,
  exportsFeature,
  flowRoutesFeature,
  flowsFeature,
  gitopsFeature,
  googleFeature,
  historyImportFeature,
  identitiesFeature,
  interactionsFeature,
  mailFeature,
  maintenanceFeature,
  modelLearningFeature,
  modelsFeature,
  notificationsFeature,
  objectivesFeature,
  offersFeature,
  outcomesFeature,
  plansFeature,
  preferencesFeature,
  qualificationFeature,
  rankingProfilesFeature,
  reportsFeature,
  restoreFeature,
  retentionFeature,
  schemasFeature,
  scimFeature,
  sealedRecordsFeature,
  secondFactorFeature,
  seedPacksFeature,
  segmentsFeature,
  sessionsFeature,
  settingsFeature,
  signInPagesFeature,
  simulationsFeature,
  ssoFeature,
  streamFeature,
  suppressionsFeature,
  tenantsFeature,
  usersFeature,
  volumesFeature,
  whyNotFeature,
];

/** What features and the layers below them do with their tables when a playground is reset. */
export const allResets: readonly Resets[] = [
  ...features.map(({ resets }) => resets),
  databaseResets,
  httpResets,
  jobResets,
];

/** What a new tenant gets, in its own transaction. */
export const onTenantCreated = features.flatMap((feature) => feature.onTenantCreated);
