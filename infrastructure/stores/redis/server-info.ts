/** Fields of the answer to `INFO`. */
export type InfoFields = ReadonlyMap<string, string>

export const parseInfo = (text: string): InfoFields =>
  new Map(
    text.split("\r\n").filter((line) => !line.startsWith("#") && line.includes(":")).map((line): [string, string] => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon), line.slice(colon + 1)]
    })
  )

export const isClusterNode = (info: InfoFields): boolean => info.get("redis_mode") === "cluster"

/** Why a server can't be used, in words for people; undefined when it can. */
export const whyUnfit = (info: InfoFields, database: number): string | undefined => {
  const version = info.get("redis_version") ?? "unknown"
  if (!(Number.parseInt(version) >= OLDEST)) {
    return `its version is ${version}, and ${OLDEST}.0 is the oldest that is supported`
  }
  if (isClusterNode(info)) {
    return database === 0 ? undefined : `a Redis Cluster has no database ${database}: leave it out of REDIS_URL`
  }
  if (info.get("redis_mode") === "sentinel") return "it is a Sentinel, which holds no data: name the server itself"
  if (info.get("role") === "slave") return "it is a replica, which can't be written: name the master"
  return undefined
}

/** Since 7.0 a script is replicated by what it did, and one that reads before it writes is safe. */
const OLDEST = 7
