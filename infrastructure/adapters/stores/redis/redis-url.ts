import { Result } from "effect"

/** The parts of REDIS_URL. */
export interface RedisAddress {
  readonly host: string
  readonly port: number
  readonly tls: boolean
  readonly username: string | undefined
  readonly password: string | undefined
  readonly database: number
}

/** Reads `redis://[user][:password@]host[:port][/database]`, or `rediss://` for TLS. A failure shows no secret. */
export const parseRedisUrl = (text: string): Result.Result<RedisAddress, string> => {
  if (!URL.canParse(text)) return Result.fail("it must look like redis://user:password@host:6379")
  const url = new URL(text)
  if (!/^rediss?:$/u.test(url.protocol)) return Result.fail("it must begin with redis:// or rediss://")
  if (url.hostname === "") return Result.fail("it has no host")
  if (url.search !== "" || url.hash !== "") {
    return Result.fail("it must end with the database: options after ? are not supported, and # must be written as %23")
  }
  const database = /^\/?(\d{0,5})$/u.exec(url.pathname)?.[1]
  if (database === undefined) return Result.fail("the text after the / must be the number of a database")
  const [username, password] = [decoded(url.username), decoded(url.password)]
  if (username === undefined || password === undefined) {
    return Result.fail("a % in the user or the password must be written as %25")
  }
  return Result.succeed({
    host: url.hostname.replace(/^\[(.*)\]$/u, "$1"),
    port: url.port === "" ? 6379 : Number(url.port),
    tls: url.protocol === "rediss:",
    username: username === "" ? undefined : username,
    password: password === "" ? undefined : password,
    database: Number(database)
  })
}

/** The address without user and password, for messages. */
export const describeAddress = ({ database, host, port, tls }: RedisAddress): string => {
  const server = `${tls ? "rediss" : "redis"}://${host.includes(":") ? `[${host}]` : host}:${port}`
  return database === 0 ? server : `${server}/${database}`
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
