/** How to reach a model. Set by the operator, so the rules for tenants' addresses don't apply (docs/design/api-decisioning.md 20). */
export interface ModelSettings {
  /** Null: the provider's own. */
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
  readonly name: string;
  readonly timeoutMs: number;
}
