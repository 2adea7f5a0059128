/** The texts of a creative, as a form holds them: unsaved and perhaps not valid yet. */
export interface CreativeTexts {
  readonly content: Readonly<Record<string, unknown>>;
  readonly personalization: readonly unknown[];
  readonly templateType: string;
}

/** A creative to render for a customer, as the page asks the worker. */
export interface RenderRequest {
  readonly id: number;
  readonly creative: CreativeTexts;
  readonly customer: object;
  readonly offer: object;
}

/** What the worker answers. */
export interface RenderAnswer {
  readonly id: number;
  readonly content: Readonly<Record<string, unknown>>;
  /** Tokens without a value and without a fallback. */
  readonly missing: readonly string[];
}
