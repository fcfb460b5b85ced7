/**
 * The reference for the ratios: Fastify with default settings, one prepared insert for a POST, one row by its primary key
 * for a GET, one sentence for a page. The file has the same journal and synchronous modes as the simulator's.
 */
import Database from 'better-sqlite3';
import fastify from 'fastify';

interface Body {
  order_reference: string;
  total_amount: number;
  return_url: string;
  cancel_url: string;
  customer_email: string;
  customer_state: string;
  metadata: Record<string, string>;
}

const db = new Database(process.argv[2]);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = NORMAL');
db.exec(`CREATE TABLE IF NOT EXISTS orders (
  id INTEGER PRIMARY KEY,
  order_reference TEXT NOT NULL,
  total_amount INTEGER NOT NULL,
  return_url TEXT NOT NULL,
  cancel_url TEXT NOT NULL,
  customer_email TEXT NOT NULL,
  customer_state TEXT NOT NULL,
  metadata TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT`);
const insert = db.prepare(
  `INSERT INTO orders (order_reference, total_amount, return_url, cancel_url, customer_email, customer_state, metadata, created_at)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
);
const select = db.prepare('SELECT * FROM orders WHERE id = ?');

const app = fastify();
app.get('/health', async () => ({ status: 'ok' }));
app.get('/page', async (_request, reply) => reply.type('text/html').send('<!doctype html><p>One sentence.</p>'));
app.post<{ Body: Body }>('/orders', async ({ body }, reply) => {
  const createdAt = Date.now();
  const { lastInsertRowid } = insert.run(
    body.order_reference,
    body.total_amount,
    body.return_url,
    body.cancel_url,
    body.customer_email,
    body.customer_state,
    JSON.stringify(body.metadata),
    createdAt,
  );
  return reply.code(201).send({ data: { id: Number(lastInsertRowid), ...body, created_at: createdAt } });
});
app.get<{ Params: { id: string } }>('/orders/:id', async ({ params }, reply) => {
  const row = select.get(Number(params.id));
  return row ? { data: row } : reply.code(404).send({ message: 'Not found.' });
});

const url = await app.listen({ host: '127.0.0.1', port: 0 });
console.log(JSON.stringify({ event: 'ready', base_url: url }));
