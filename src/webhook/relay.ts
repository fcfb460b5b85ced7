import { renderEmail } from '../domain/email.ts';
import type { StoredEmail } from '../store/emails.ts';

/** What the relay reads of an email. */
type Mail = Pick<StoredEmail, 'id' | 'token' | 'recipient' | 'template' | 'facts' | 'createdAt'>;

/** The emails, and how far the relay has sent them. */
interface MailStore {
  readonly emails: {
    /** The oldest email that has not been sent, or null. */
    nextToRelay(): Mail | null;
    relayed(id: number): unknown;
  };
  transaction(work: () => unknown): unknown;
}

export interface SmtpAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * The SMTP server cannot be reached, or its answer says that it accepts no emails now. The error has no stack, because a
 * stack would not help.
 */
export class SmtpAway extends Error {
  override readonly name = 'SmtpAway';

  constructor({ message, response }: SmtpError) {
    super(
      response === undefined
        ? `The SMTP server cannot be reached (${oneLine(message)}). Emails wait until it is back.`
        : `The SMTP server does not accept emails now (${oneLine(response)}). They wait until it does.`,
    );
  }
}

/** The SMTP server permanently refuses an email: it does not have the mailbox, or does not accept the content. */
export class EmailRefused extends Error {
  override readonly name = 'EmailRefused';

  constructor({ token, recipient }: Mail, reason: string) {
    super(
      `The SMTP server refused the email ${token} to ${recipient} (${oneLine(reason)}). It is not sent again, but stays in the inbox.`,
    );
  }
}

/** `response`: the answer of the server, if there was one. The message repeats it. */
type SmtpError = Error & { readonly response?: string };

const oneLine = (text: string) => text.replace(/[\s\p{Cc}\p{Bidi_Control}]+/gu, ' ').trim();

/** Whether a 5xx answer concerns only this email: its recipient or its content. */
const isRefusal = (error: unknown): boolean => {
  const { command, responseCode = 0 } = error as { readonly command?: unknown; readonly responseCode?: number };
  return (command === 'RCPT TO' || command === 'DATA') && responseCode >= 500;
};

/** The waits between tries while the server does not answer. */
const WAITS_MS = [500, 1_000, 5_000, 15_000, 60_000];
/** How long, in real time, the closing simulator waits for the server. */
const STOP_MS = 1000;

export type Relay = Awaited<ReturnType<typeof createRelay>>;

/**
 * Sends emails to the configured SMTP server, in order. While it does not answer, they wait and block nothing else.
 * `fault` is called once when the server stops accepting them or a sent email cannot be recorded, and for each email
 * that the server refuses.
 */
export async function createRelay(
  address: SmtpAddress,
  { emails, transaction }: MailStore,
  fault: (error: unknown) => void,
) {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    ...{ ...address, secure: false, socketCloseTimeout: STOP_MS },
    // A server that offers no TLS gets plain text, so a certificate proves nothing. Test servers sign their own.
    tls: { rejectUnauthorized: false },
  });
  const cut = new AbortController();
  let under: Promise<void> | null = null;
  let failures = 0;
  /** The last email that the server took or refused, until that is recorded. It must not be sent twice. */
  let handled: number | null = null;
  /** Counts resets and restores, because the ids of emails may start over after one. */
  let era = 0;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  function wake() {
    if (stopped || under || timer) return;
    under = run().finally(() => {
      under = null;
    });
  }

  async function run() {
    try {
      for (let email = emails.nextToRelay(); email && !stopped; email = emails.nextToRelay()) {
        await send(email);
      }
    } catch (error) {
      if (stopped) return;
      if (failures === 0) fault(error);
      const waitMs = WAITS_MS[Math.min(failures, WAITS_MS.length - 1)] as number;
      failures += 1;
      timer = setTimeout(() => {
        timer = undefined;
        wake();
      }, waitMs);
      timer.unref();
    }
  }

  async function send(email: Mail) {
    const begun = era;
    if (handled !== email.id) await offer(email);
    if (begun === era) {
      handled = email.id;
      transaction(() => emails.relayed(email.id));
      handled = null;
    }
    failures = 0;
  }

  async function offer(email: Mail) {
    try {
      await transport.sendMail({ ...messageOf(email), signal: cut.signal });
    } catch (error) {
      if (!isRefusal(error)) throw new SmtpAway(error as SmtpError);
      const { message, response = message } = error as SmtpError;
      fault(new EmailRefused(email, response));
    }
  }

  return {
    wake,
    /** Call it after a reset or restore. The email being sent does not belong to the new state. */
    restart() {
      era += 1;
      handled = null;
    },
    /** Waits for the email that is being sent, but not for a hanging server: an unconfirmed email is sent again. */
    async stop() {
      stopped = true;
      clearTimeout(timer);
      const patience = setTimeout(() => cut.abort(), STOP_MS);
      await under;
      clearTimeout(patience);
      transport.close();
    },
  };
}

function messageOf({ token, recipient: to, template, facts, createdAt }: Mail) {
  const { from, subject, text, html } = renderEmail(template, facts);
  return { messageId: `<${token}@layaway.example>`, date: new Date(createdAt), from, to, subject, text, html };
}
