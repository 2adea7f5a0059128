import Type, { type Static, type TProperties, type TSchema } from 'typebox';
import { operation } from '../core/operation.ts';
import { Int, JsonObject, Nullable, StringEnum } from '../core/schemas.ts';

/** Keys of `aiAnalyzerSettings` (docs/design/api-access.md 6). */
const analyzer = {
  llmExplanationsEnabled: Type.Boolean({
    description:
      'Allows narratives and SHAP values of decisions. If the server has a language model, facts of decisions are sent to it.',
  }),
  multiLanguageEnabled: Type.Boolean({ description: 'Reserved; `true` is rejected.' }),
  governance: Type.Object(
    { fourEyesEnabled: Type.Boolean({ description: 'Same value as the top-level fourEyesEnabled.' }) },
    { additionalProperties: false, description: 'Change governance.' },
  ),
  arbitration: Type.Object(
    {
      budgetPacingEnabled: Type.Boolean({ description: 'Reserved; `true` is rejected.' }),
      goalSeekEnabled: Type.Boolean({ description: 'Reserved; `true` is rejected.' }),
      lagrangianEnabled: Type.Boolean({ description: 'Reserved; `true` is rejected.' }),
      exp3IxEnabled: Type.Boolean({ description: 'Reserved; `true` is rejected.' }),
    },
    { additionalProperties: false, description: 'Arbitration methods.' },
  ),
  ml: Type.Object(
    { counterfactualTrainingEnabled: Type.Boolean({ description: 'Reserved; `true` is rejected.' }) },
    { additionalProperties: false, description: 'Model training.' },
  ),
};

const Feature = (what: string) =>
  Type.Boolean({ description: `${what}. off: changes are rejected and decisions skip the feature; reads still work.` });
const Reserved = (what: string) => Nullable(Type.Null(), { description: `${what}. Reserved. Any value is rejected.` });

/** Every tenant setting (docs/design/api-access.md 6). */
const settings = {
  decisionTraceEnabled: Type.Boolean({
    description: 'Whether decision traces are stored. Sealed records are always stored.',
  }),
  decisionTraceSampleRate: Type.Number({ minimum: 0, maximum: 1, description: 'Share of decisions traced, 0 to 1.' }),
  timezone: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'IANA time zone for daily caps, schedules and reports.',
  }),
  locale: Type.String({ minLength: 2, maxLength: 35, description: 'BCP 47 language tag.' }),
  currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217 code.' }),
  theme: StringEnum(['dark', 'light', 'system'], { description: 'Theme of the console.' }),
  maxOffersPerDecision: Int(1, 50, 'Maximum `limit` of a decision.'),
  defaultArbitrationProfileId: Nullable(Type.String({ format: 'uuid' }), {
    description: "Ranking profile for flows that don't set one.",
  }),
  holdoutPercentage: Type.Number({
    minimum: 0,
    maximum: 100,
    description: "Size of the tenant's control group, in percent.",
  }),
  defaultChannelTimeout: Int(100, 60_000, 'Timeout of outbound channel calls, in milliseconds.'),
  reservationTtlSeconds: Int(60, 86_400, 'Lifetime of a reservation on explicit channels, in seconds.'),
  mandatoryDailyCap: Int(0, 100, 'Maximum mandatory offers per customer and day.'),
  fourEyesEnabled: Type.Boolean({ description: "True: users can't approve their own requests." }),
  approvalWorkflowEnabled: Type.Boolean({
    description: 'True: editors need an approval to make governed records live and to change live ones.',
  }),
  enableExperiments: Feature('Experiments'),
  enableBudgets: Feature('Budgets'),
  enableJourneys: Feature('Journeys'),
  enableContentManagement: Feature('Content management'),
  enableBehavioralMetrics: Feature('Behavioral metrics'),
  enableGeofences: Feature('Geofences'),
  neverStore: Type.Array(Type.String({ minLength: 1, maxLength: 255, description: 'Name of an attribute.' }), {
    maxItems: 200,
    uniqueItems: true,
    description: 'Attribute names left out of sealed records.',
  }),
  recordReads: Type.Object(
    {
      customer: Type.Array(Type.String({ minLength: 1, maxLength: 63, description: 'Name of a column.' }), {
        maxItems: 100,
        uniqueItems: true,
        description: 'Columns of customer schemas that are added automatically.',
      }),
      segments: Type.Array(Type.String({ minLength: 1, maxLength: 128, description: 'ID or name of a segment.' }), {
        maxItems: 100,
        uniqueItems: true,
        description: 'Active segments whose membership is recorded even if no flow, rule or policy uses them.',
      }),
    },
    {
      additionalProperties: false,
      description:
        'Additional data for sealed records, beyond what flows, rules and policies read, so that later drafts can be tested with it.',
    },
  ),
  mfaRequired: Type.Boolean({
    description:
      'True: users who sign in with a password need a second factor. Users without one set it up during sign-in.',
  }),
  consentRequired: Type.Boolean({ description: 'Reserved; `true` is rejected.' }),
  fairnessPolicy: Nullable(JsonObject('Fairness policy.'), {
    description: 'Fairness policy. Reserved: any object is rejected.',
  }),
  mlWorker: Reserved('Machine learning worker'),
  allowedIpRanges: Reserved('IP ranges that may call the API'),
  aiAnalyzerSettings: Type.Object(analyzer, { additionalProperties: false, description: 'Analysis and explanations.' }),
};

/** All settings of a tenant, defaults filled in. */
export const TenantSettings = Type.Object(settings, {
  additionalProperties: false,
  description: 'Settings of a tenant.',
});
export type TenantSettings = Static<typeof TenantSettings>;

/** Settings of a tenant that changed none (docs/design/api-access.md 6). */
export const defaultTenantSettings: TenantSettings = {
  decisionTraceEnabled: false,
  decisionTraceSampleRate: 1,
  timezone: 'UTC',
  locale: 'en',
  currency: 'USD',
  theme: 'system',
  maxOffersPerDecision: 50,
  defaultArbitrationProfileId: null,
  holdoutPercentage: 0,
  defaultChannelTimeout: 5000,
  reservationTtlSeconds: 1800,
  mandatoryDailyCap: 5,
  fourEyesEnabled: false,
  approvalWorkflowEnabled: false,
  enableExperiments: true,
  enableBudgets: true,
  enableJourneys: true,
  enableContentManagement: true,
  enableBehavioralMetrics: true,
  enableGeofences: true,
  neverStore: [],
  recordReads: { customer: [], segments: [] },
  mfaRequired: false,
  consentRequired: false,
  fairnessPolicy: null,
  mlWorker: null,
  allowedIpRanges: null,
  aiAnalyzerSettings: {
    llmExplanationsEnabled: false,
    multiLanguageEnabled: false,
    governance: { fourEyesEnabled: false },
    arbitration: {
      budgetPacingEnabled: false,
      goalSeekEnabled: false,
      lagrangianEnabled: false,
      exp3IxEnabled: false,
    },
    ml: { counterfactualTrainingEnabled: false },
  },
};

/** Settings as answered: with the number of the state. */
export const TenantSettingsAnswer = Type.Object(
  {
    ...settings,
    settingsVersion: Type.Integer({ minimum: 1, description: 'Increases with every change.' }),
  },
  { description: 'Settings of a tenant, with defaults filled in.' },
);
export type TenantSettingsAnswer = Static<typeof TenantSettingsAnswer>;

type Patch<S> = S extends readonly unknown[]
  ? S
  : S extends object
    ? { readonly [K in keyof S]?: Patch<S[K]> | null }
    : S;

/** A change: absent keys stay, null resets to the default, objects are merged, lists replaced. */
export type TenantSettingsPatch = Patch<TenantSettings>;

interface PatchOptions {
  readonly description: string;
  readonly additionalProperties: boolean;
  readonly examples?: readonly unknown[];
}

function patchOf(properties: TProperties, options: PatchOptions): TSchema {
  const keys = Object.entries(properties).map(([key, schema]): [string, TSchema] => {
    const nested: unknown = Reflect.get(schema, 'properties');
    const inner = { additionalProperties: false, description: 'Keys to change.' };
    const own = typeof nested === 'object' && nested !== null ? patchOf(nested as TProperties, inner) : schema;
    const described = String(Reflect.get(schema, 'description'));
    return [key, Type.Optional(Nullable(own, { description: `${described} Send null to reset it to the default.` }))];
  });
  return Type.Object(Object.fromEntries(keys), { ...options });
}

/**
 * The body of a change. Open at the top on purpose: other bodies silently lose undeclared properties, but an unknown
 * setting must reach the check, which rejects it with 400 (docs/design/api-access.md 6).
 */
export const TenantSettingsUpdate = Type.Unsafe<TenantSettingsPatch>(
  patchOf(settings, {
    additionalProperties: true,
    description: 'Settings to change. Unknown keys are rejected.',
    examples: [{ timezone: 'Europe/Paris', currency: 'EUR', maxOffersPerDecision: 20 }],
  }),
);

const shared = {
  path: '/api/v1/tenant-settings',
  aliases: ['/api/v1/settings'],
  tag: 'Tenant',
  auth: 'credential',
  loadClass: 'crud',
  transaction: 'tenant',
} as const;

export const tenantSettingsOperations = {
  get: operation({
    ...shared,
    id: 'tenantSettings.get',
    method: 'GET',
    summary: "Get the tenant's settings",
    role: 'viewer',
    responses: { 200: { description: 'All settings.', schema: TenantSettingsAnswer } },
    errors: [],
    audit: [],
  }),
  update: operation({
    ...shared,
    id: 'tenantSettings.update',
    method: 'PUT',
    summary: "Update the tenant's settings",
    description: 'Merged deeply; null resets a key to its default. Takes effect on every node within a second.',
    role: 'admin',
    body: TenantSettingsUpdate,
    responses: { 200: { description: 'All settings after the change.', schema: TenantSettingsAnswer } },
    errors: ['reference_not_found', 'not_configured'],
    changesCatalogue: true,
    audit: [{ action: 'update', entityType: 'tenantSettings' }],
  }),
} as const;
