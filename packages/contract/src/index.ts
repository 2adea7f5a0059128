export * from './core/errors.ts';
export * from './core/operation.ts';
export * from './core/pages.ts';
export * from './core/problem.ts';
export * from './core/schemas.ts';
export * from './operations.ts';
export * from './system.ts';
