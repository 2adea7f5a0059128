import type { FormulaScope } from '../formula/scope.ts';
import type { Json } from '../snapshot.ts';

type JsonObject = { readonly [key: string]: Json };

/** Content of a creative, compiled once (api-catalogue.md 3.4). Pure; never throws. */
export interface Template {
  /**
   * The content with its tokens replaced. `computed`: values of computed and custom fields of this candidate.
   * Content without tokens and links is returned as it is, not copied.
   */
  render(scope: FormulaScope, computed: JsonObject): JsonObject;
  /** The personalization entries' values by variable name; a variable without value is null. */
  variables(scope: FormulaScope, computed: JsonObject): Record<string, Json>;
  /** Tokens that have neither value nor fallback, in order of first use (content preview). */
  missing(scope: FormulaScope, computed: JsonObject): readonly string[];
  /** Every namespaced path it can read, bare customer attributes included. */
  readonly paths: readonly (readonly string[])[];
}
