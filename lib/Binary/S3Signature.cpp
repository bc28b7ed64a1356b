//===- S3Signature.cpp - requests that S3-compatible servers accept -------===//
#include "S3Signature.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace tessera;

static std::string sha256(llvm::StringRef bytes) {
  llvm::SHA256 hash;
  hash.update(bytes);
  std::array<uint8_t, 32> result = hash.final();
  return {reinterpret_cast<const char *>(result.data()), result.size()};
}

/// RFC 2104.
static std::string hmac(llvm::StringRef key, llvm::StringRef message) {
  constexpr size_t kBlock = 64;
  std::string padded = key.size() > kBlock ? sha256(key) : key.str();
  padded.resize(kBlock, '\0');
  std::string inner, outer;
  for (char c : padded) {
    inner += char(c ^ 0x36);
    outer += char(c ^ 0x5c);
  }
  return sha256(outer + sha256(inner + message.str()));
}

static std::string hex(llvm::StringRef bytes) { return llvm::toHex(bytes, /*LowerCase=*/true); }

std::string tessera::encodePath(llvm::StringRef path) {
  std::string text;
  for (char c : path) {
    if (llvm::isAlnum(c) || llvm::StringRef("-._~/").contains(c))
      text += c;
    else
      text += "%" + llvm::toHex(llvm::StringRef(&c, 1));
  }
  return text;
}

std::vector<std::pair<std::string, std::string>>
tessera::signS3Request(const S3Request &request, const S3Credentials &credentials,
                       std::time_t now) {
  std::tm utc = {};
  ::gmtime_r(&now, &utc);
  char stamp[32];
  std::strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", &utc);
  std::string time = stamp, day = time.substr(0, 8), body = hex(sha256(request.body));
  // In the order of their names, which is part of what is signed.
  std::vector<std::pair<std::string, std::string>> headers = {
      {"host", request.host.str()}, {"x-amz-content-sha256", body}, {"x-amz-date", time}};
  if (!credentials.token.empty())
    headers.emplace_back("x-amz-security-token", credentials.token);
  std::string names, listed;
  for (const auto &[name, value] : headers) {
    names += (names.empty() ? "" : ";") + name;
    listed += name + ":" + value + "\n";
  }
  std::string canonical =
      (request.method + "\n" + request.path + "\n\n" + listed + "\n" + names + "\n" + body).str();
  std::string scope = day + "/" + credentials.region + "/s3/aws4_request";
  std::string text = "AWS4-HMAC-SHA256\n" + time + "\n" + scope + "\n" + hex(sha256(canonical));
  std::string key = hmac("AWS4" + credentials.secret, day);
  for (llvm::StringRef part : {llvm::StringRef(credentials.region), llvm::StringRef("s3"),
                               llvm::StringRef("aws4_request")})
    key = hmac(key, part);
  headers.erase(headers.begin());
  headers.emplace_back("Authorization", "AWS4-HMAC-SHA256 Credential=" + credentials.accessKey +
                                            "/" + scope + ", SignedHeaders=" + names +
                                            ", Signature=" + hex(hmac(key, text)));
  return headers;
}
