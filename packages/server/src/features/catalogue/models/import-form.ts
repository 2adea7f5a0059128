import {
  type ErrorEntry,
  largestModelFile,
  type ModelImport,
  modelFormats,
  modelKeyPattern,
  type Parts,
} from '@arbiter/contract';
import { AppError } from '../../../platform/app-error.ts';

const fields: ReadonlySet<string> = new Set(['key', 'name', 'family', 'format', 'featureDefaults']);

/** Reads the whole form of an import; its parts come in any order. Throws 400 `validation_failed`, 413. */
export async function readImportForm(parts: Parts): Promise<ModelImport> {
  const values = new Map<string, string>();
  let file: string | null = null;
  for await (const part of parts) {
    if (part.name === 'file') {
      if (part.kind !== 'file')
        throw invalidForm([{ path: '/file', message: 'must be sent as a file, with a file name' }]);
      if (file !== null) throw invalidForm([{ path: '/file', message: 'must be sent once' }]);
      file = await readText(part.content);
    } else if (fields.has(part.name)) {
      if (part.kind !== 'field')
        throw invalidForm([{ path: `/${part.name}`, message: 'must be a text value, not a file' }]);
      if (values.has(part.name)) throw invalidForm([{ path: `/${part.name}`, message: 'must be sent once' }]);
      values.set(part.name, part.value);
    }
  }
  return importOf(values, file);
}

const invalidForm = (errors: readonly ErrorEntry[]): AppError => new AppError('validation_failed', { errors });

async function readText(content: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of content) {
    length += piece.length;
    if (length > largestModelFile) {
      throw new AppError('payload_too_large', { detail: `The file must be at most ${largestModelFile} bytes.` });
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** The same rules as for JSON, which the binder checks. */
function importOf(values: ReadonlyMap<string, string>, file: string | null): ModelImport {
  const errors: ErrorEntry[] = [];
  const pattern = new RegExp(modelKeyPattern);
  const key = values.get('key');
  const name = values.get('name');
  const family = values.get('family');
  const format = modelFormats.find((known) => known === values.get('format'));
  if (key === undefined) errors.push({ path: '/key', message: 'is required' });
  else if (!pattern.test(key)) errors.push({ path: '/key', message: `must match ${modelKeyPattern}` });
  if (name === undefined) errors.push({ path: '/name', message: 'is required' });
  else if (name.trim() === '' || name.length > 255)
    errors.push({ path: '/name', message: 'must have 1 to 255 characters' });
  if (family !== undefined && !pattern.test(family)) {
    errors.push({ path: '/family', message: `must match ${modelKeyPattern}` });
  }
  if (values.has('format') && format === undefined) {
    errors.push({ path: '/format', message: `must be one of ${modelFormats.join(', ')}` });
  }
  if (file === null) errors.push({ path: '/file', message: 'is required' });
  const featureDefaults = values.has('featureDefaults') ? defaultsOf(values.get('featureDefaults')!) : undefined;
  if (featureDefaults === null) {
    errors.push({ path: '/featureDefaults', message: 'must be a JSON object of numbers, strings and booleans' });
  }
  if (errors.length > 0) throw invalidForm(errors);
  return {
    key: key!,
    name: name!,
    model: file,
    ...(family === undefined ? {} : { family }),
    ...(format === undefined ? {} : { format }),
    ...(featureDefaults === undefined || featureDefaults === null ? {} : { featureDefaults }),
  };
}

function defaultsOf(text: string): Record<string, string | number | boolean> | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    const isScalar = (member: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof member);
    return Object.values(value).every(isScalar) ? (value as Record<string, string | number | boolean>) : null;
  } catch {
    return null;
  }
}
