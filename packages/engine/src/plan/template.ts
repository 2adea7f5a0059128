import type { FormulaScope } from './formula.ts';
import type { JsonObject } from './snapshot.ts';

/** Content of a creative, compiled once (docs/design/api-catalogue.md 3.4). Pure; never throws. */
export interface Template {
  /**
   * The content with its tokens replaced. `computed`: values of computed and custom fields of this candidate.
   * Content without tokens is rendered once: every call returns the same object, frozen in depth, so that code that
   * turns it into text can cache the text under the object. When it has no links either, it is the content itself.
   */
  render(scope: FormulaScope, computed: JsonObject): JsonObject;
  /**
   * The personalization entries' values by variable name; a variable without value is null. One frozen object when no
   * entry has a source.
   */
  variables(scope: FormulaScope, computed: JsonObject): JsonObject;
  /** Tokens without a value and without a fallback, in order of first use (content preview). */
  missing(scope: FormulaScope, computed: JsonObject): readonly string[];
  /** Every namespaced path it can read, bare customer attributes included. */
  readonly paths: readonly (readonly string[])[];
}
