#include "runner/client/Http.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <curl/curl.h>
#include <dlfcn.h>
#include <thread>

using namespace kcheck;
using namespace kcheck::client;
using Outcome = HttpResponse::Outcome;
using Steady = std::chrono::steady_clock;

namespace {

struct Curl {
  decltype(&::curl_global_init) Init = nullptr;
  decltype(&::curl_easy_init) Easy = nullptr;
  decltype(&::curl_easy_reset) Reset = nullptr;
  decltype(&::curl_easy_cleanup) Cleanup = nullptr;
  decltype(&::curl_easy_perform) Perform = nullptr;
  decltype(&::curl_easy_strerror) Error = nullptr;
  decltype(&::curl_slist_append) Append = nullptr;
  decltype(&::curl_slist_free_all) FreeAll = nullptr;
  // Variadic ones are called as such.
  CURLcode (*Set)(CURL *, CURLoption, ...) = nullptr;
  CURLcode (*Get)(CURL *, CURLINFO, ...) = nullptr;
};

template <class F> bool find(void *Library, const char *Name, F &To) {
  To = reinterpret_cast<F>(dlsym(Library, Name));
  return To != nullptr;
}

/// Null where it is not installed. Opened once, never closed.
const Curl *curl() {
  static const Curl *Known = []() -> const Curl * {
    static Curl C;
    void *L = nullptr;
    for (const char *Name : {"libcurl.so.4", "libcurl-gnutls.so.4"})
      if (!L)
        L = dlopen(Name, RTLD_NOW | RTLD_LOCAL);
    bool All = L && find(L, "curl_global_init", C.Init) && find(L, "curl_easy_init", C.Easy) && find(L, "curl_easy_reset", C.Reset) &&
               find(L, "curl_easy_cleanup", C.Cleanup) && find(L, "curl_easy_perform", C.Perform) && find(L, "curl_easy_strerror", C.Error) &&
               find(L, "curl_slist_append", C.Append) && find(L, "curl_slist_free_all", C.FreeAll) && find(L, "curl_easy_setopt", C.Set) &&
               find(L, "curl_easy_getinfo", C.Get);
    return All && C.Init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? &C : nullptr;
  }();
  return Known;
}

/// What a running request collects.
struct Exchange {
  const Curl *C;
  CURL *Handle;
  const HttpRequest *Request;
  HttpResponse *Response;
  uint64_t Got = 0;
  bool TooLarge = false, Stopped = false;
};

size_t onBody(char *Data, size_t Size, size_t Count, void *Context) {
  auto &E = *static_cast<Exchange *>(Context);
  size_t Bytes = Size * Count;
  E.Got += Bytes;
  if (E.Got > E.Request->MostBytes) {
    E.TooLarge = true;
    return 0;
  }
  long Status = 0;
  E.C->Get(E.Handle, CURLINFO_RESPONSE_CODE, &Status);
  if (!E.Request->OnData || Status != 200) {
    E.Response->Body.append(Data, Bytes);
    return Bytes;
  }
  E.Stopped = !E.Request->OnData({Data, Bytes});
  return E.Stopped ? 0 : Bytes;
}

size_t onHeader(char *Data, size_t Size, size_t Count, void *Context) {
  std::string_view Line(Data, Size * Count);
  size_t Colon = Line.find(':');
  auto &Headers = static_cast<Exchange *>(Context)->Response->Headers;
  if (Line.starts_with("HTTP/"))
    Headers.clear(); // an interim answer came before
  if (Colon == Line.npos)
    return Line.size();
  std::string Name(Line.substr(0, Colon)), Value(Line.substr(Colon + 1));
  std::transform(Name.begin(), Name.end(), Name.begin(), [](unsigned char C) { return char(std::tolower(C)); });
  Value.erase(0, Value.find_first_not_of(" \t"));
  Value.erase(Value.find_last_not_of(" \t\r\n") + 1);
  Headers[Name] = Value;
  return Line.size();
}

int onProgress(void *Context, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  auto &E = *static_cast<Exchange *>(Context);
  E.Stopped = E.Stopped || (E.Request->Cancelled && E.Request->Cancelled());
  return E.Stopped;
}

Outcome outcomeOf(CURLcode Code, const Exchange &E) {
  if (E.TooLarge)
    return Outcome::TooLarge;
  if (E.Stopped)
    return Outcome::Cancelled;
  switch (Code) {
  case CURLE_OK: return Outcome::Answered;
  case CURLE_UNSUPPORTED_PROTOCOL:
  case CURLE_URL_MALFORMAT: return Outcome::BadUrl;
  case CURLE_COULDNT_RESOLVE_PROXY:
  case CURLE_COULDNT_RESOLVE_HOST:
  case CURLE_COULDNT_CONNECT: return Outcome::NoConnection;
  case CURLE_PEER_FAILED_VERIFICATION:
  case CURLE_SSL_CACERT_BADFILE:
  case CURLE_SSL_ISSUER_ERROR: return Outcome::Certificate;
  case CURLE_OPERATION_TIMEDOUT: return Outcome::TimedOut;
  default: return Outcome::Broken;
  }
}

std::string firstLine(const std::string &Text) { return Text.substr(0, std::min(Text.find_first_of("\r\n"), size_t(300))); }

bool waitFor(double Seconds, const std::function<bool()> &Cancelled) {
  auto Until = Steady::now() + std::chrono::microseconds(int64_t(Seconds * 1e6));
  while (Steady::now() < Until) {
    if (Cancelled && Cancelled())
      return false;
    std::this_thread::sleep_until(std::min<Steady::time_point>(Steady::now() + std::chrono::milliseconds(50), Until));
  }
  return true;
}

bool worthAnotherTry(const HttpResponse &R, const RetryPolicy &P) {
  if (R.How == Outcome::NoConnection || R.How == Outcome::Broken)
    return true;
  if (P.ServerErrors && R.How == Outcome::Answered && R.Status >= 500)
    return true;
  return R.How == Outcome::Answered && (R.Status == 429 || R.Status == 502 || R.Status == 503 || R.Status == 504);
}

} // namespace

HttpClient::HttpClient() = default;

HttpClient::~HttpClient() {
  if (Handle)
    curl()->Cleanup(static_cast<CURL *>(Handle));
}

HttpResponse HttpClient::send(const HttpRequest &R) {
  HttpResponse Out;
  auto refuse = [&](Outcome How, std::string Why) {
    Out.How = How;
    Out.Why = std::move(Why);
    return Out;
  };
  Url Parts;
  std::string Why;
  if (!parseUrl(R.Url, Parts, Why))
    return refuse(Outcome::BadUrl, Why);
  const Curl *C = curl();
  if (!C)
    return refuse(Outcome::NoLibrary, "libcurl (libcurl.so.4) is not installed; it is needed to talk to a remote");
  if (!Handle)
    Handle = C->Easy();
  CURL *H = static_cast<CURL *>(Handle);
  C->Reset(H); // keeps the connection
  Exchange E{C, H, &R, &Out};
  char Message[CURL_ERROR_SIZE] = "";
  C->Set(H, CURLOPT_ERRORBUFFER, Message);
  C->Set(H, CURLOPT_URL, R.Url.c_str());
  C->Set(H, CURLOPT_PROTOCOLS_STR, "http,https");
  C->Set(H, CURLOPT_NOSIGNAL, 1L);
  C->Set(H, CURLOPT_FOLLOWLOCATION, 0L);
  C->Set(H, CURLOPT_TCP_KEEPALIVE, 1L);
  C->Set(H, CURLOPT_ACCEPT_ENCODING, "");
  C->Set(H, CURLOPT_USERAGENT, "kcheck/" KCHECK_VERSION);
  C->Set(H, CURLOPT_CONNECTTIMEOUT_MS, long(R.ConnectSeconds * 1000));
  C->Set(H, CURLOPT_TIMEOUT_MS, long(R.Seconds * 1000));
  C->Set(H, CURLOPT_WRITEFUNCTION, &onBody);
  C->Set(H, CURLOPT_WRITEDATA, &E);
  C->Set(H, CURLOPT_HEADERFUNCTION, &onHeader);
  C->Set(H, CURLOPT_HEADERDATA, &E);
  C->Set(H, CURLOPT_NOPROGRESS, 0L);
  C->Set(H, CURLOPT_XFERINFOFUNCTION, &onProgress);
  C->Set(H, CURLOPT_XFERINFODATA, &E);
  if (!R.CaFile.empty())
    C->Set(H, CURLOPT_CAINFO, R.CaFile.c_str());
  if (Parts.loopback())
    C->Set(H, CURLOPT_PROXY, ""); // a proxy has another loopback
  curl_slist *List = nullptr;
  auto add = [&](const std::string &Line) { List = C->Append(List, Line.c_str()); };
  add("Expect:"); // no round trip before a large body
  if (!R.Token.empty())
    add("Authorization: Bearer " + R.Token);
  for (const std::string &Line : R.Headers)
    add(Line);
  C->Set(H, CURLOPT_HTTPHEADER, List);
  if (!R.Body.empty() || R.Method == "POST") {
    C->Set(H, CURLOPT_POST, 1L);
    C->Set(H, CURLOPT_POSTFIELDS, R.Body.data());
    C->Set(H, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(R.Body.size()));
  }
  C->Set(H, CURLOPT_CUSTOMREQUEST, R.Method.c_str());
  auto T0 = Steady::now();
  CURLcode Code = C->Perform(H);
  Out.Seconds = std::chrono::duration<double>(Steady::now() - T0).count();
  long Status = 0;
  C->Get(H, CURLINFO_RESPONSE_CODE, &Status);
  Out.Status = int(Status);
  C->FreeAll(List);
  Out.How = outcomeOf(Code, E);
  if (Code == CURLE_SEND_ERROR && Status >= 400)
    Out.How = Outcome::Answered; // it refused the body before it had all of it
  if (Out.How == Outcome::TooLarge)
    Out.Why = "the answer is larger than " + std::to_string(R.MostBytes >> 20) + " MB";
  else if (Out.How == Outcome::Cancelled)
    Out.Why = "cancelled";
  else if (Out.How != Outcome::Answered)
    Out.Why = *Message ? Message : C->Error(Code);
  else if (Out.Status >= 400)
    Out.Why = "status " + std::to_string(Out.Status) + (Out.Body.empty() ? "" : ": " + firstLine(Out.Body));
  return Out;
}

HttpResponse HttpClient::sendWithRetries(const HttpRequest &R, const RetryPolicy &P) {
  bool Streamed = false;
  HttpRequest Mine = R;
  if (R.OnData)
    Mine.OnData = [&](std::string_view Part) {
      Streamed = true;
      return R.OnData(Part);
    };
  double Wait = P.FirstSeconds;
  for (unsigned Try = 1;; ++Try) {
    HttpResponse Out = send(Mine);
    Out.Tries = Try;
    if (Try >= P.Tries || Streamed || !worthAnotherTry(Out, P))
      return Out;
    double Asked = 0;
    if (auto It = Out.Headers.find("retry-after"); It != Out.Headers.end())
      Asked = strtod(It->second.c_str(), nullptr);
    if (!waitFor(std::min(std::max(Wait, Asked), P.MostSeconds), R.Cancelled)) {
      Out.How = Outcome::Cancelled;
      Out.Why = "cancelled";
      return Out;
    }
    Wait *= 2;
  }
}

bool Url::loopback() const {
  return Host == "localhost" || Host == "::1" || (Host.starts_with("127.") && Host.find_first_not_of("0123456789.") == Host.npos);
}

bool client::parseUrl(std::string_view Text, Url &Out, std::string &Why) {
  Out = Url();
  size_t Colon = Text.find("://");
  std::string Scheme(Text.substr(0, Colon == Text.npos ? 0 : Colon));
  std::transform(Scheme.begin(), Scheme.end(), Scheme.begin(), [](unsigned char C) { return char(std::tolower(C)); });
  if (Scheme != "http" && Scheme != "https") {
    Why = "'" + std::string(Text) + "' is no http or https URL";
    return false;
  }
  Out.Scheme = Scheme;
  Text.remove_prefix(Colon + 3);
  size_t Slash = Text.find_first_of("/?#");
  std::string_view Host = Text.substr(0, Slash);
  Out.Path = Slash == Text.npos ? "" : std::string(Text.substr(Slash));
  if (Host.find('@') != Host.npos) {
    Why = "a name or password in the URL is not taken: give a token";
    return false;
  }
  std::string_view Port;
  if (Host.starts_with("[")) {
    size_t End = Host.find(']');
    if (End == Host.npos) {
      Why = "the address in the URL lacks its ']'";
      return false;
    }
    Port = Host.substr(End + 1);
    Host = Host.substr(1, End - 1);
  } else if (size_t At = Host.rfind(':'); At != Host.npos) {
    Port = Host.substr(At);
    Host = Host.substr(0, At);
  }
  Out.Host = std::string(Host);
  std::transform(Out.Host.begin(), Out.Host.end(), Out.Host.begin(), [](unsigned char C) { return char(std::tolower(C)); });
  Out.Port = Scheme == "http" ? 80 : 443;
  bool Good = !Out.Host.empty();
  if (!Port.empty()) {
    Good &= Port.size() > 1 && Port.size() <= 6 && Port.front() == ':' && Port.find_first_not_of("0123456789", 1) == Port.npos;
    Out.Port = Good ? unsigned(std::stoul(std::string(Port.substr(1)))) : 0;
    Good &= Out.Port > 0 && Out.Port < 65536;
  }
  if (!Good)
    Why = "the URL's host or port makes no sense";
  return Good;
}
