import type { FastifyInstance } from 'fastify';
import type { HttpContext } from '../../context.ts';

export async function hostedPages(_app: FastifyInstance, _ctx: HttpContext) {}
