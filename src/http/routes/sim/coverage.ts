import type { FastifyInstance } from 'fastify';
import { clearCoverage, getCoverage, getWorkspaceCoverage } from '../../../operations/coverage.ts';
import type { HttpContext } from '../../context.ts';
import { serve } from '../../serve.ts';

/** What stores have met, and what they do wrong (interface §9). */
export function simCoverage(app: FastifyInstance, { coverage }: HttpContext) {
  serve(app, getCoverage, ({ account }) => ({ data: coverage.report(account) }));
  serve(app, clearCoverage, ({ account }) => coverage.clear(account));
  serve(app, getWorkspaceCoverage, () => ({ data: coverage.reportOfAll() }));
}
