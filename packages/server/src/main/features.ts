import { resets as databaseResets } from '../db/tables.ts';
import type { Resets } from '../feature.ts';
import { catalogueHistoryFeature } from '../features/catalogue/catalogue-history/index.ts';
import { categoriesFeature } from '../features/catalogue/categories/index.ts';
import { channelsFeature } from '../features/catalogue/channels/index.ts';
import { contactPoliciesFeature } from '../features/catalogue/contact-policies/index.ts';
import { contentFeature } from '../features/catalogue/content/index.ts';
import { creativesFeature } from '../features/catalogue/creatives/index.ts';
import { decisionTestsFeature } from '../features/catalogue/decision-tests/index.ts';
import { experimentsFeature } from '../features/catalogue/experiments/index.ts';
import { flowRoutesFeature } from '../features/catalogue/flow-routes/index.ts';
import { flowsFeature } from '../features/catalogue/flows/index.ts';
import { modelsFeature } from '../features/catalogue/models/index.ts';
import { offersFeature } from '../features/catalogue/offers/index.ts';
import { outcomesFeature } from '../features/catalogue/outcomes/index.ts';
import { qualificationFeature } from '../features/catalogue/qualification/index.ts';
import { rankingProfilesFeature } from '../features/catalogue/ranking-profiles/index.ts';
import { restoreFeature } from '../features/catalogue/restore/index.ts';
import { schemasFeature } from '../features/catalogue/schemas/index.ts';
import { searchFeature } from '../features/catalogue/search/index.ts';
import { segmentsFeature } from '../features/catalogue/segments/index.ts';
import { behavioralMetricsFeature } from '../features/data/behavioral-metrics/index.ts';
import { connectorsFeature } from '../features/data/connectors/index.ts';
import { pipelinesFeature } from '../features/data/pipelines/index.ts';
import { archivedMonthsFeature } from '../features/deciding/archived-months/index.ts';
import { assignmentsFeature } from '../features/deciding/assignments/index.ts';
import { customerStatesFeature } from '../features/deciding/customer-states/index.ts';
import { customerToolsFeature } from '../features/deciding/customer-tools/index.ts';
import { decisionsFeature } from '../features/deciding/decisions/index.ts';
import { estimatesFeature } from '../features/deciding/estimates/index.ts';
import { evidenceFeature } from '../features/deciding/evidence/index.ts';
import { experimentResultsFeature } from '../features/deciding/experiment-results/index.ts';
import { historyImportFeature } from '../features/deciding/history-import/index.ts';
import { interactionsFeature } from '../features/deciding/interactions/index.ts';
import { modelLearningFeature } from '../features/deciding/model-learning/index.ts';
import { modelTrainingFeature } from '../features/deciding/model-training/index.ts';
import { narrativesFeature } from '../features/deciding/narratives/index.ts';
import { objectivesFeature } from '../features/deciding/objectives/index.ts';
import { plansFeature } from '../features/deciding/plans/index.ts';
import { sealedRecordsFeature } from '../features/deciding/sealed-records/index.ts';
import { shapFeature } from '../features/deciding/shap/index.ts';
import { simulationsFeature } from '../features/deciding/simulations/index.ts';
import { studiesFeature } from '../features/deciding/studies/index.ts';
import { suppressionsFeature } from '../features/deciding/suppressions/index.ts';
import { volumesFeature } from '../features/deciding/volumes/index.ts';
import { whyNotFeature } from '../features/deciding/why-not/index.ts';
import { accountsFeature } from '../features/identity/accounts/index.ts';
import { auditFeature } from '../features/identity/audit/index.ts';
import { credentialsFeature } from '../features/identity/credentials/index.ts';
import { googleFeature } from '../features/identity/google/index.ts';
import { identitiesFeature } from '../features/identity/identities/index.ts';
import { mailFeature } from '../features/identity/mail/index.ts';
import { preferencesFeature } from '../features/identity/preferences/index.ts';
import { scimFeature } from '../features/identity/scim/index.ts';
import { secondFactorFeature } from '../features/identity/second-factor/index.ts';
import { sessionsFeature } from '../features/identity/sessions/index.ts';
import { settingsFeature } from '../features/identity/settings/index.ts';
import { signInPagesFeature } from '../features/identity/sign-in-pages/index.ts';
import { ssoFeature } from '../features/identity/sso/index.ts';
import { tenantsFeature } from '../features/identity/tenants/index.ts';
import { usersFeature } from '../features/identity/users/index.ts';
import { adminFeature } from '../features/operations/admin/index.ts';
import { alertsFeature } from '../features/operations/alerts/index.ts';
import { approvalsFeature } from '../features/operations/approvals/index.ts';
import { archiveFeature } from '../features/operations/archive/index.ts';
import { checksFeature } from '../features/operations/checks/index.ts';
import { consoleFeature } from '../features/operations/console/index.ts';
import { erasureFeature } from '../features/operations/erasure/index.ts';
import { exportsFeature } from '../features/operations/exports/index.ts';
import { gitopsFeature } from '../features/operations/gitops/index.ts';
import { maintenanceFeature } from '../features/operations/maintenance/index.ts';
import { notificationsFeature } from '../features/operations/notifications/index.ts';
import { reportsFeature } from '../features/operations/reports/index.ts';
import { retentionFeature } from '../features/operations/retention/index.ts';
import { seedPacksFeature } from '../features/operations/seed-packs/index.ts';
import { streamFeature } from '../features/operations/stream/index.ts';
import { campaignsFeature } from '../features/outreach/campaigns/index.ts';
import { customerEventsFeature } from '../features/outreach/customer-events/index.ts';
import { deliveriesFeature } from '../features/outreach/deliveries/index.ts';
import { deliveryWebhooksFeature } from '../features/outreach/delivery-webhooks/index.ts';
import { geofencesFeature } from '../features/outreach/geofences/index.ts';
import { ingestFeature } from '../features/outreach/ingest/index.ts';
import { journeysFeature } from '../features/outreach/journeys/index.ts';
import { triggersFeature } from '../features/outreach/triggers/index.ts';
import { resets as httpResets } from '../http/tables.ts';
import { resets as jobResets } from '../jobs/tables.ts';

/** Every feature of the product. ports.ts provides what they need from outside. */
export const features = [
  accountsFeature,
  adminFeature,
  archiveFeature,
  archivedMonthsFeature,
  alertsFeature,
  approvalsFeature,
  auditFeature,
  assignmentsFeature,
  behavioralMetricsFeature,
  campaignsFeature,
  catalogueHistoryFeature,
  categoriesFeature,
  channelsFeature,
  checksFeature,
  connectorsFeature,
  consoleFeature,
  contactPoliciesFeature,
  contentFeature,
  creativesFeature,
  credentialsFeature,
  customerEventsFeature,
  customerStatesFeature,
  customerToolsFeature,
  decisionTestsFeature,
  decisionsFeature,
  deliveriesFeature,
  deliveryWebhooksFeature,
  erasureFeature,
  estimatesFeature,
  evidenceFeature,
  experimentResultsFeature,
  experimentsFeature,
  exportsFeature,
  flowRoutesFeature,
  flowsFeature,
  geofencesFeature,
  gitopsFeature,
  googleFeature,
  historyImportFeature,
  identitiesFeature,
  ingestFeature,
  interactionsFeature,
  journeysFeature,
  mailFeature,
  maintenanceFeature,
  modelLearningFeature,
  modelTrainingFeature,
  modelsFeature,
  notificationsFeature,
  objectivesFeature,
  offersFeature,
  outcomesFeature,
  pipelinesFeature,
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
  searchFeature,
  secondFactorFeature,
  seedPacksFeature,
  segmentsFeature,
  sessionsFeature,
  settingsFeature,
  signInPagesFeature,
  shapFeature,
  simulationsFeature,
  studiesFeature,
  ssoFeature,
  streamFeature,
  suppressionsFeature,
  tenantsFeature,
  triggersFeature,
  usersFeature,
  volumesFeature,
  narrativesFeature,
  whyNotFeature,
] as const;

/** What features and the layers below them do with their tables when a playground is reset. */
export const allResets: readonly Resets[] = [
  ...features.map(({ resets }) => resets),
  databaseResets,
  httpResets,
  jobResets,
];

/** What a new tenant gets, in its own transaction. */
export const onTenantCreated = features.flatMap((feature) => feature.onTenantCreated);
