import { AppError } from '../../../platform/app-error.ts';

/** Error words of RFC 7644 section 3.12. */
export type ScimType = 'invalidFilter' | 'invalidPath' | 'invalidSyntax' | 'invalidValue' | 'mutability' | 'noTarget';

/** 400 with a word of the standard. */
export function scimProblem(scimType: ScimType, detail: string): AppError {
  return new AppError('validation_failed', { detail, formatCode: scimType });
}

/** 409: the tenant has a user with this name. */
export function nameTaken(): AppError {
  return new AppError('duplicate_email', {
    detail: 'A user with this userName already exists, possibly deactivated.',
    formatCode: 'uniqueness',
  });
}
