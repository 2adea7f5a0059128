import { AppError } from '../../../platform/app-error.ts';

/** Words of RFC 7644 section 3.12 for what is wrong with a request. */
export type ScimType = 'invalidFilter' | 'invalidPath' | 'invalidSyntax' | 'invalidValue' | 'mutability' | 'noTarget';

/** 400 with a word of the standard. */
export function scimProblem(scimType: ScimType, detail: string): AppError {
  return new AppError('validation_failed', { detail, formatCode: scimType });
}

/** 409: the tenant has a user of this name. */
export function nameTaken(): AppError {
  return new AppError('duplicate_email', {
    detail: 'A user with this userName already exists, possibly deactivated.',
    formatCode: 'uniqueness',
  });
}
