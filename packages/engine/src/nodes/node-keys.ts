import { pointerStep } from '../compile/config-problems.ts';
import { compileConditionList } from '../conditions/compile-condition.ts';
import { conditionRemarks } from '../conditions/condition-remarks.ts';
import { LIST_OPERATORS } from '../conditions/operator.ts';
import { compileFormula } from '../formula/compile-formula.ts';
import { formulaHint } from '../formula/hint.ts';
import type { Json, JsonObject } from '../plan/snapshot.ts';
import { nearestWord } from '../words/nearest-word.ts';
import { mustBeOneOf, shortenWord } from '../words/word-texts.ts';

/** Kinds of records that a flow names. */
export type ReferenceKind =
  | 'category'
  | 'subCategory'
  | 'offer'
  | 'channel'
  | 'placement'
  | 'schema'
  | 'qualificationRule'
  | 'contactPolicy'
  | 'globalContactPolicy'
  | 'namedCategory'
  | 'namedChannel'
  | 'rankingProfile'
  | 'model'
  | 'flow'
  | 'experiment';

/** Collects the problems of one node. `path`: JSON Pointer relative to the node's config. */
export interface NodeIssues {
  refuse(path: string, code: string, message: string): void;
  /** A key that means nothing; `nearest`: the one that was probably meant. */
  unknownKey(path: string, nearest: string | null): void;
  /** Reports something valid that this engine can't run yet. Shown only when the flow has no other problem. */
  unavailable(path: string, what: string): void;
  /** True when the record exists in the tenant; ids and, for schemas and flows, names or keys. */
  exists(kind: ReferenceKind, id: string): boolean;
  /** The server's rules for webhook addresses and headers. */
  readonly webhooks: WebhookRules;
  /** Bare names that formulas at this place may use. */
  readonly bareNames: ReadonlySet<string>;
  /** True in phase 1, where `score.*` does not exist. */
  readonly phase1: boolean;
}

/** The server's rules for outbound calls, which the engine cannot know (docs/design/quality.md T8, T28). Null: allowed. */
export interface WebhookRules {
  urlProblem(url: string): string | null;
  headerProblem(name: string, value: string): string | null;
}

/** Checks one value of a config. Null means the default and isn't checked. */
export interface KeyCheck {
  (value: Json, path: string, issues: NodeIssues): void;
  /** What it accepts, for listing the keys of nodes. */
  readonly takes?: AcceptedValue;
}

/** What a key accepts, as far as it can be listed. */
export interface AcceptedValue {
  /** The value as a JSON Schema; the parts of `keys` come from there. */
  readonly schema?: Readonly<Record<string, Json>>;
  /** One or more of these words. */
  readonly words?: readonly string[];
  /** An object with these keys, or a list of such objects. */
  readonly keys?: Readonly<Record<string, KeyCheck>>;
  /** The keys that are required. */
  readonly required?: readonly string[];
  /** Maximum length of a list of such objects. */
  readonly maxItems?: number;
}

/** Returns a check that declares what it accepts. */
export function taking(takes: AcceptedValue, check: (value: Json, path: string, issues: NodeIssues) => void): KeyCheck {
  return Object.assign(
    (value: Json, path: string, issues: NodeIssues): void => {
      check(value, path, issues);
    },
    { takes },
  );
}

const invalid = (issues: NodeIssues, path: string, message: string): void =>
  issues.refuse(path, 'invalid_config', message);

export const boolean: KeyCheck = taking({ schema: { type: 'boolean' } }, (value, path, issues) => {
  if (typeof value !== 'boolean') invalid(issues, path, 'must be true or false');
});

export function integer(min: number, max: number): KeyCheck {
  return taking({ schema: { type: 'integer', minimum: min, maximum: max } }, (value, path, issues) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
      invalid(issues, path, `must be an integer from ${min} to ${max}`);
    }
  });
}

export function number(min: number, max: number): KeyCheck {
  const most = max === Number.MAX_VALUE ? {} : { maximum: max };
  return taking({ schema: { type: 'number', minimum: min, ...most } }, (value, path, issues) => {
    if (typeof value !== 'number' || !Number.isFinite(value) || value < min || value > max) {
      const range = max === Number.MAX_VALUE ? `of at least ${min}` : `from ${min} to ${max}`;
      invalid(issues, path, `must be a number ${range}`);
    }
  });
}

export function text(pattern: RegExp, description: string): KeyCheck {
  return taking({ schema: { type: 'string', pattern: pattern.source } }, (value, path, issues) => {
    if (typeof value !== 'string' || !pattern.test(value)) invalid(issues, path, `must be ${description}`);
  });
}

export const anyText: KeyCheck = taking(
  { schema: { type: 'string', minLength: 1, maxLength: 255 } },
  (value, path, issues) => {
    if (typeof value !== 'string' || value === '' || value.length > 255)
      invalid(issues, path, 'must be a string of 1 to 255 characters');
  },
);

/** `unbuilt`: words that are known and cannot be run yet. */
export function oneOf(words: readonly string[], unbuilt: readonly string[] = []): KeyCheck {
  return taking({ words, schema: { type: 'string', enum: words } }, (value, path, issues) => {
    if (typeof value === 'string' && unbuilt.includes(value)) issues.unavailable(path, value);
    else if (typeof value !== 'string' || !words.includes(value)) {
      invalid(issues, path, mustBeOneOf(value, [...words, ...unbuilt]));
    }
  });
}

export function listOf(words: readonly string[], max = words.length): KeyCheck {
  const schema = { type: 'array', maxItems: max, items: { type: 'string', enum: words } };
  return taking({ words, schema }, (value, path, issues) => {
    if (!Array.isArray(value) || value.length > max) return invalid(issues, path, `must be a list of at most ${max}`);
    value.forEach((entry: Json, at) => {
      if (typeof entry !== 'string' || !words.includes(entry))
        invalid(issues, `${path}/${at}`, mustBeOneOf(entry, words));
    });
  });
}

/** IDs of records that exist. */
export function ids(max: number, kind: ReferenceKind): KeyCheck {
  return taking({ schema: { type: 'array', maxItems: max, items: { type: 'string' } } }, (value, path, issues) => {
    if (!Array.isArray(value) || value.length > max)
      return invalid(issues, path, `must be a list of at most ${max} ids`);
    value.forEach((entry: Json, at) => {
      reference(kind)(entry, `${path}/${at}`, issues);
    });
  });
}

/** IDs that are not resolved. */
export function looseIds(max: number): KeyCheck {
  return taking({ schema: { type: 'array', maxItems: max, items: { type: 'string' } } }, (value, path, issues) => {
    if (!Array.isArray(value) || value.length > max)
      return invalid(issues, path, `must be a list of at most ${max} ids`);
    value.forEach((entry: Json, at) => {
      if (typeof entry !== 'string' || entry === '') invalid(issues, `${path}/${at}`, 'must be an ID');
    });
  });
}

const referenceNouns: Partial<Record<ReferenceKind, string>> = {
  globalContactPolicy: 'contact policy with scope global',
  namedCategory: 'category with the ID or name',
  namedChannel: 'channel with the ID or name',
};

export function reference(kind: ReferenceKind): KeyCheck {
  return taking({ schema: { type: 'string' } }, (value, path, issues) => {
    if (typeof value !== 'string' || value === '') invalid(issues, path, 'must be an ID or key');
    else if (!issues.exists(kind, value)) {
      issues.refuse(path, 'unknown_reference', `no ${referenceNouns[kind] ?? kind} ${shortenWord(value)}`);
    }
  });
}

export interface ObjectShape {
  readonly keys: Readonly<Record<string, KeyCheck>>;
  readonly required?: readonly string[];
}

/** Checks an object with known keys. Unknown ones are kept with a warning. */
export function object(shape: ObjectShape): KeyCheck {
  return taking({ keys: shape.keys, required: shape.required ?? [] }, (value, path, issues) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value))
      return invalid(issues, path, 'must be an object');
    checkKeys(value as JsonObject, shape, path, issues);
  });
}

export function objects(max: number, shape: ObjectShape): KeyCheck {
  const check = object(shape);
  const takes = { keys: shape.keys, required: shape.required ?? [], maxItems: max };
  return taking(takes, (value, path, issues) => {
    if (!Array.isArray(value) || value.length > max) return invalid(issues, path, `must be a list of at most ${max}`);
    value.forEach((entry: Json, at) => {
      check(entry, `${path}/${at}`, issues);
    });
  });
}

export function checkKeys(
  value: JsonObject,
  { keys, required = [] }: ObjectShape,
  path: string,
  issues: NodeIssues,
): void {
  for (const key of required) {
    if ((value[key] ?? null) === null) invalid(issues, `${path}/${key}`, 'is required');
  }
  for (const [key, entry] of Object.entries(value)) {
    const check = Object.hasOwn(keys, key) ? keys[key] : undefined;
    const place = `${path}/${pointerStep(key)}`;
    if (check === undefined) issues.unknownKey(place, nearestWord(key, Object.keys(keys)));
    else if (entry !== null) check(entry, place, issues);
  }
}

const conditionItems = {
  type: 'object',
  properties: { field: { type: 'string' }, operator: { type: 'string', enum: [...LIST_OPERATORS] }, value: {} },
  required: ['field', 'operator'],
};

const operators: AcceptedValue = {
  schema: { type: 'array', items: conditionItems },
  keys: { operator: oneOf([...LIST_OPERATORS]) },
};

/** Conditions `{ field, operator, value }` of a node (docs/design/api-decisioning.md 8). Default: the namespaces of filter nodes. */
export function conditionsOver(namespaces?: ReadonlySet<string>): KeyCheck {
  const options = namespaces === undefined ? {} : { namespaces };
  return taking(operators, (value, path, issues) => {
    const compiled = compileConditionList(value, 'AND', options);
    if (compiled.ok) {
      for (const remark of conditionRemarks(value, path)) issues.unknownKey(remark.path, remark.nearest);
      return;
    }
    for (const problem of compiled.problems) invalid(issues, `${path}${problem.path}`, problem.message);
  });
}

export const conditions: KeyCheck = conditionsOver();

/** Checks a formula. Problems get the codes of docs/design/api-decisioning.md 7. `names`: bare names it may use. */
export function checkFormula(
  source: Json | undefined,
  path: string,
  issues: NodeIssues,
  names: ReadonlySet<string>,
  phase1: boolean = issues.phase1,
): void {
  if (typeof source !== 'string') {
    invalid(issues, path, 'must be a formula');
    return;
  }
  const compiled = compileFormula(source, { bareNames: names, phase1 });
  if (compiled.ok) return;
  for (const problem of compiled.problems) {
    const code =
      problem.kind === 'limit'
        ? 'formula_limit'
        : problem.kind === 'unknown_name' || problem.kind === 'unknown_function'
          ? 'formula_unknown_name'
          : 'formula_syntax';
    issues.refuse(path, code, problem.message + formulaHint(problem, names, phase1));
  }
}
