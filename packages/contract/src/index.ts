export * from './core/errors.ts';
export * from './core/operation.ts';
export * from './core/pages.ts';
export * from './core/schemas.ts';
