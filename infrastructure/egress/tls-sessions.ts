import type { TLSSocket } from "node:tls"

/**
 * Sessions of TLS by the server that they were made with, so that the next connection to it costs a third less. What a
 * session is taken up again for was judged when it was made: the certificate, and the name it speaks for.
 */
export interface TlsSessions {
  readonly of: (server: string) => Buffer | undefined
  /** Keeps what a server gives to go on with, as long as its certificate was found good. */
  readonly watch: (server: string, socket: TLSSocket) => void
}

/** A certificate that was withdrawn, or replaced for a reason, is asked for again within this time. */
const KEPT_MILLIS = 5 * 60_000
const MOST = 1_000

export const makeTlsSessions = (now: () => number = () => performance.now()): TlsSessions => {
  const kept = new Map<string, { readonly session: Buffer; readonly until: number }>()
  /** When the full handshake was that all the sessions since then go back to. */
  const judgedAt = new Map<string, number>()

  const forget = (server: string) => {
    kept.delete(server)
    judgedAt.delete(server)
  }

  const keep = (server: string, session: Buffer) => {
    const judged = judgedAt.get(server)
    if (judged === undefined) return
    kept.delete(server)
    kept.set(server, { session, until: judged + KEPT_MILLIS })
    const [oldest] = kept.keys()
    if (kept.size > MOST && oldest !== undefined) forget(oldest)
  }

  return {
    of: (server) => {
      const known = kept.get(server)
      if (known === undefined) return undefined
      if (known.until > now()) return known.session
      forget(server)
      return undefined
    },
    watch: (server, socket) => {
      socket.once("secureConnect", () => {
        if (!socket.authorized) return forget(server)
        if (!socket.isSessionReused()) judgedAt.set(server, now())
      })
      socket.on("session", (session) => keep(server, session))
    }
  }
}
