import type { FastifyInstance } from 'fastify';
import type { HttpContext } from '../context.ts';

export async function documents(_app: FastifyInstance, _ctx: HttpContext) {}
