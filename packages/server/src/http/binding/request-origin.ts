import { needsRequestedWith, type Operation } from '@arbiter/contract';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../platform/app-error.ts';
import type { AppDependencies } from '../app-dependencies.ts';
import { isOwnOrigin } from './credentials.ts';

/** The configuration that says which pages are ours. */
export type OwnOrigins = Pick<AppDependencies['config'], 'publicUrl' | 'corsAllowedOrigins'>;

/** A page of another site must not act with a visitor's session (docs/design/quality.md T32). */
export function checkOwnPage(request: FastifyRequest, own: OwnOrigins): void {
  if (isOwnOrigin(request.raw, own) && hasRequestedWith(request)) return;
  throw new AppError('csrf_header_required', {
    detail: "Requests with a session cookie must come from Arbiter's own pages and have the header X-Requested-With.",
  });
}

/** Requires a non-blank `X-Requested-With` on every unsafe operation that isn't exempt (T32). */
export function checkRequestedWith(operation: Operation, request: FastifyRequest): void {
  if (!needsRequestedWith(operation)) return;
  if (!hasRequestedWith(request)) {
    throw new AppError('csrf_header_required', {
      detail: 'The header X-Requested-With is required; it can have any value.',
    });
  }
}

function hasRequestedWith({ headers }: FastifyRequest): boolean {
  const sent = headers['x-requested-with'];
  return typeof sent === 'string' && sent.trim() !== '';
}
