import type { ErrorEntry } from '@arbiter/contract';
import { didYouMean, listWords } from '@arbiter/engine';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { AppError } from '../../platform/app-error.ts';
import { formats } from '../../platform/formats.ts';

/** Where a validated value came from. Decides how its errors are located (docs/design/api-access.md 2). */
export type InputSource = 'body' | 'query' | 'path' | 'header';

/** Throws AppError `validation_failed` with every finding, at most 50. `size` bounds the work spent on findings. */
export type Check = (value: unknown, size: number) => void;

export const maximumFindings = 50;

/**
 * Above this many bytes only the first finding is reported: all findings of a hostile megabyte would block the loop.
 */
const fullReportBytes = 4 * 1024;
/** Maximum raw errors to consider, because folding unions compares them pairwise. */
const maximumRawErrors = 400;

const formatTests = Object.fromEntries(Object.entries(formats).map(([name, format]) => [name, format.test]));

export interface Checks {
  /** `early`: compile before the first request, because many will need it. */
  compile(schema: TSchema, place: InputSource, early?: boolean): Check;
  /** Compiles the early ones now. */
  prepare(): void;
}

const options = {
  strict: false,
  formats: formatTests,
  messages: true,
  verbose: false,
  // The schemas are our own, and a test checks them all against the meta-schema, which is the slowest to compile.
  validateSchema: false,
} as const;
/** The process's compilers. A schema is compiled once, however many ask for its check. */
const fastToRun = new Ajv2020({ ...options, allErrors: false });
// Optimizing the code doubles compile time and saves a tenth of a microsecond per check.
const plain = { ...options, code: { optimize: false } } as const;
const fastToMake = new Ajv2020({ ...plain, allErrors: false });
const thorough = new Ajv2020({ ...plain, allErrors: true });

/**
 * Creates two kinds of check. The fast one stops at the first finding and runs on each request. The thorough one is
 * compiled when a request first breaks a schema, and collects the findings for the answer. Neither coerces or removes
 * anything. Schemas are compiled on first use, which takes milliseconds: all of them would take a second and 34 MB, and
 * most servers need few.
 */
export function createChecks(): Checks {
  const early: (() => void)[] = [];
  return {
    compile(schema, place, isEarly = false) {
      let validate: ValidateFunction | undefined;
      let validateAll: ValidateFunction | undefined;
      const ready = (): ValidateFunction => {
        validate ??= (isEarly ? fastToRun : fastToMake).compile(schema);
        return validate;
      };
      if (isEarly) early.push(ready);
      return (value, size) => {
        const check = validate ?? ready();
        if (check(value)) return;
        if (size > fullReportBytes)
          throw refusal(tellFindings(withContext(check.errors ?? [], value, schema), place).slice(0, 1));
        validateAll ??= thorough.compile(schema);
        validateAll(value);
        throw refusal(tellFindings(withContext(validateAll.errors ?? [], value, schema), place));
      };
    },
    prepare() {
      for (const ready of early.splice(0)) ready();
    },
  };
}

function refusal(entries: readonly ErrorEntry[]): AppError {
  const first = entries[0];
  const subject = first === undefined || first.path === '' ? 'The body' : first.path.replace(/^\//, '');
  return new AppError('validation_failed', { detail: `${subject} ${first?.message ?? 'is invalid'}`, errors: entries });
}

/**
 * Adds to the raw errors the value and schema that messages compare. Ajv would add both to every error (`verbose`),
 * also for a union's other members, which valid values fail on each request.
 */
function withContext(raw: readonly ErrorObject[], value: unknown, schema: TSchema): ErrorObject[] {
  return raw.slice(0, maximumRawErrors).map((error) => {
    if (error.keyword === 'enum' || error.keyword === 'const') {
      return { ...error, data: at(value, error.instancePath.split('/').slice(1)) };
    }
    if (error.keyword !== 'additionalProperties') return error;
    const parentSchema: unknown = at(schema, error.schemaPath.split('/').slice(1, -1).map(decodeURIComponent));
    return { ...error, parentSchema: typeof parentSchema === 'object' && parentSchema !== null ? parentSchema : {} };
  });
}

/** Returns the value at the steps of a JSON Pointer. */
function at(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((holder, step) => {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof holder === 'object' && holder !== null ? Reflect.get(holder, key) : undefined;
  }, value);
}

/** Turns Ajv's findings into entries of the problem body: folds unions, drops duplicates, returns at most 50. */
function tellFindings(raw: readonly ErrorObject[], place: InputSource): ErrorEntry[] {
  const found = foldUnions(raw.slice(0, maximumRawErrors));
  const entries: ErrorEntry[] = [];
  const seen = new Set<string>();
  for (const error of found) {
    const entry = { path: pathOf(error, place), message: messageOf(error) };
    const key = `${entry.path} ${entry.message}`;
    if (seen.has(key)) continue;
    seen.add(key);
    entries.push(entry);
    if (entries.length === maximumFindings) break;
  }
  return entries;
}

/**
 * For a union, Ajv reports what every member missed, then that none matched. People want the findings of the intended
 * member: the one whose discriminator (a constant property) matches, or the one that looked inside the value.
 */
function foldUnions(found: readonly ErrorObject[]): ErrorObject[] {
  let left = [...found];
  // Inner unions end before the outer ones that contain them, so they're folded first.
  for (const union of found) {
    if (union.keyword !== 'anyOf' && union.keyword !== 'oneOf') continue;
    const inside = left.filter((error) => error !== union && isInside(error, union));
    if (inside.length === 0) continue;
    const memberFindings = meantFindings(union, inside);
    left = left.filter((error) => error !== union && !inside.includes(error));
    left.push(...memberFindings);
  }
  return left;
}

function isInside(error: ErrorObject, union: ErrorObject): boolean {
  return error.schemaPath.startsWith(`${union.schemaPath}/`) && error.instancePath.startsWith(union.instancePath);
}

/** Findings at the value itself that only an object can cause, so its union member was intended. */
const looksInside = new Set(['required', 'additionalProperties']);

function meantFindings(union: ErrorObject, inside: readonly ErrorObject[]): ErrorObject[] {
  const members = Map.groupBy(inside, (error) => error.schemaPath.slice(union.schemaPath.length + 1).split('/')[0]);
  const inner = [...members.values()].filter((errors) =>
    errors.every((error) => error.instancePath !== union.instancePath || looksInside.has(error.keyword)),
  );
  const agreeing = inner.filter((errors) => !errors.some((error) => isDiscriminator(error, union)));
  if (agreeing.length > 0) return agreeing.flat();
  const discriminators = inner.flat().filter((error) => isDiscriminator(error, union));
  const first = discriminators[0];
  if (first !== undefined)
    return [{ ...first, message: oneOf(discriminators.map(constantOf), first.data), keyword: 'told' }];
  const own = inside.filter((error) => error.instancePath === union.instancePath);
  return [{ ...union, message: unionMessage(own), keyword: 'told' }];
}

const constantOf = (error: ErrorObject): unknown => error.params.allowedValue;

function isDiscriminator(error: ErrorObject, union: ErrorObject): boolean {
  const step = error.instancePath.slice(union.instancePath.length);
  return error.keyword === 'const' && step !== '' && step.lastIndexOf('/') === 0;
}

/**
 * Returns `must be a string or null` when the members differ by type, otherwise the message of the only member with a
 * fitting type.
 */
function unionMessage(own: readonly ErrorObject[]): string {
  const constants = own.filter((error) => error.keyword === 'const').map(constantOf);
  if (constants.length > 1) return oneOf(constants, own.find((error) => error.keyword === 'const')?.data);
  const others = own.filter((error) => error.keyword !== 'type');
  if (others.length === 1) return messageOf(others[0]!);
  const types = new Set(own.filter((error) => error.keyword === 'type').map((error) => typeName(error.params.type)));
  return types.size > 0 ? `must be ${[...types].join(' or ')}` : 'has none of the allowed forms';
}

function pathOf(error: ErrorObject, place: InputSource): string {
  const missing: unknown = error.params.missingProperty ?? error.params.additionalProperty;
  const step = typeof missing === 'string' ? `/${missing.replaceAll('~', '~0').replaceAll('/', '~1')}` : '';
  const pointer = error.instancePath + step;
  return place === 'body' ? pointer : `${place}.${pointer.slice(1)}`;
}

type Tell = (params: Record<string, unknown>, error: ErrorObject) => string;

const messages: Readonly<Record<string, Tell>> = {
  required: () => 'is required',
  additionalProperties: (params, { parentSchema }) =>
    `is not a known property${didYouMean(params.additionalProperty, Object.keys(parentSchema?.properties ?? {}))}`,
  type: (params) => `must be ${typeName(params.type)}`,
  enum: (params, { data }) => oneOf(Array.isArray(params.allowedValues) ? params.allowedValues : [], data),
  const: (params) => `must be ${JSON.stringify(params.allowedValue)}`,
  minLength: (params) => (params.limit === 1 ? 'must not be empty' : `must be at least ${params.limit} characters`),
  maxLength: (params) => `must be at most ${params.limit} characters`,
  minItems: (params) => `must have at least ${params.limit} ${params.limit === 1 ? 'item' : 'items'}`,
  maxItems: (params) => `must have at most ${params.limit} ${params.limit === 1 ? 'item' : 'items'}`,
  uniqueItems: () => 'must not contain duplicates',
  minimum: (params) => `must be at least ${params.limit}`,
  maximum: (params) => `must be at most ${params.limit}`,
  exclusiveMinimum: (params) => `must be greater than ${params.limit}`,
  exclusiveMaximum: (params) => `must be less than ${params.limit}`,
  multipleOf: (params) => `must be a multiple of ${params.multipleOf}`,
  pattern: (params) => (params.pattern === '\\S' ? 'must not be blank' : `must match the pattern ${params.pattern}`),
  format: (params) => formats[String(params.format)]?.message ?? `must have the format ${params.format}`,
  minProperties: (params) => `must have at least ${params.limit} properties`,
  maxProperties: (params) => `must have at most ${params.limit} properties`,
};

function messageOf(error: ErrorObject): string {
  return messages[error.keyword]?.(error.params, error) ?? error.message ?? 'is invalid';
}

function typeName(type: unknown): string {
  const names: Record<string, string> = {
    string: 'a string',
    number: 'a number',
    integer: 'an integer',
    boolean: 'true or false',
    object: 'an object',
    array: 'an array',
    null: 'null',
  };
  const types = Array.isArray(type) ? type : [type];
  return types.map((each) => names[String(each)] ?? String(each)).join(' or ');
}

/** `must be one of "a", "b"; did you mean b?` */
function oneOf(values: readonly unknown[], sent: unknown): string {
  const words = values.filter((value) => typeof value === 'string');
  return `must be one of ${listWords(values.map((value) => JSON.stringify(value)))}${didYouMean(sent, words)}`;
}
