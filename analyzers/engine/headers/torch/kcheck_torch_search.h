// Arguments that an extension accepts: its own checks say what is wrong with the ones before.
#ifndef KCHECK_TORCH_SEARCH_H
#define KCHECK_TORCH_SEARCH_H
#pragma clang system_header

namespace kcheck_torch {

/// What the gate asks for; the words of kcheck_call.
struct Mode {
  int64_t Level = 0;          ///< which of the sizes
  int64_t Distinct = 0;       ///< 0: all dims are one size; 1, 2: each has its own, in two orders; 3: those that the file shows, made smaller
  int64_t Counting = 0;       ///< integers of tensors count up; else they are zero
  int64_t MergeA = -1, MergeB = -1; ///< two dims (parameter * 8 + dim) that are made one size
};

struct Param {
  std::string Name;
  bool Tensor = false, Whole = false; ///< Whole: an integer
  int Rank = 1;
  ScalarType Type = ScalarType::Float;
  std::map<int, int64_t> Sizes; ///< that a check asked for
  std::vector<std::string> Words; ///< of the dims that the file shows
  int64_t Value = 2;
  bool Given = false; ///< Value is the file's
};

class Search {
public:
  explicit Search(void **Words) {
    int64_t *To[] = {&M.Level, &M.Distinct, &M.Counting, &M.MergeA, &M.MergeB};
    for (size_t I = 0; I < sizeof To / sizeof *To; ++I)
      memcpy(To[I], Words[I], 8);
  }

  /// What the file shows of a tensor: dims of the same word are one size.
  void known(int I, std::initializer_list<std::pair<const char *, int64_t>> Dims) {
    Param &P = param(I, "");
    P.Rank = int(Dims.size());
    for (auto &[Word, Value] : Dims) {
      for (size_t J = 0; J < Params.size(); ++J)
        for (size_t D = 0; D < Params[J].Words.size(); ++D)
          if (Params[J].Words[D] == Word)
            unite({I, int(Params[size_t(I)].Words.size())}, {int(J), int(D)});
      Params[size_t(I)].Words.push_back(Word);
      Shown[Word] = Value;
    }
  }
  void number(int I, int64_t Value) {
    Param &P = param(I, "");
    P.Value = Value;
    P.Given = true;
  }

  template <class F> void run(F Call) {
    shrink();
    kcheck_torch_dry(1);
    Searching = true;
    bool Found = find(Call);
    if (Found && nothingAsked()) { // sizes come as numbers
      for (Param &P : Params)
        if (P.Whole && !P.Given)
          P.Value = size(2, int(&P - Params.data()));
      Found = find(Call);
    }
    if (!Found)
      return kcheck_torch_say("refused", Why.c_str());
    describe();
    Searching = false;
    kcheck_torch_dry(0);
    try {
      Call();
    } catch (const std::exception &E) {
      kcheck_torch_say("threw", E.what());
    }
    cudaDeviceSynchronize();
  }

  Param &param(int I, const char *Name) {
    if (size_t(I) >= Params.size())
      Params.resize(size_t(I) + 1);
    if (*Name)
      Params[size_t(I)].Name = Name;
    return Params[size_t(I)];
  }

  Tensor tensor(int I, const char *Name) {
    Param &P = param(I, Name);
    P.Tensor = true;
    std::vector<int64_t> Sizes;
    for (int D = 0; D < P.Rank; ++D)
      Sizes.push_back(valueOf(I, D));
    Tensor T;
    T.impl_ = std::make_shared<TensorImpl>();
    TensorImpl &X = *T.impl_;
    X.Sizes = Sizes;
    X.Strides = packed(Sizes);
    X.Type = P.Type;
    X.Param = I;
    X.Own = true;
    const int64_t N = X.elements(), Room = isExact(I) ? N : std::min<int64_t>(std::max<int64_t>(N * 16, 1 << 17), 1 << 20);
    X.Memory = memory(size_t(std::max(N, Room)) * c10::elementSize(P.Type), DeviceType::CUDA, Name);
    X.Data = X.Memory.get();
    if (!Searching)
      fill(X, std::max(N, Room));
    return T;
  }

  int64_t whole(int I, const char *Name) {
    Param &P = param(I, Name);
    P.Whole = true;
    return P.Value;
  }

private:
  Mode M;
  std::vector<Param> Params;
  std::map<std::pair<int, int>, std::pair<int, int>> Same; ///< of dims: one that it equals
  std::string Why;

  std::map<std::string, int64_t> Shown; ///< by word

  /// Large sizes are halved until a simulator is done with them soon; what divides them mostly still does.
  void shrink() {
    constexpr int64_t Most = 1 << 16;
    for (;;) {
      int64_t Elements = 0;
      for (const Param &P : Params) {
        int64_t N = 1;
        for (const std::string &W : P.Words)
          N *= Shown[W];
        Elements = std::max(Elements, N);
      }
      auto Largest = std::max_element(Shown.begin(), Shown.end(), [](auto &A, auto &B) { return A.second < B.second; });
      if (Elements <= Most || Largest == Shown.end() || Largest->second < 2)
        return;
      Largest->second = (Largest->second + 1) / 2;
    }
  }

  //===- values of dims -----------------------------------------------------===//
  std::pair<int, int> root(int P, int D) const {
    std::pair<int, int> K{P, D};
    for (auto It = Same.find(K); It != Same.end(); It = Same.find(K))
      K = It->second;
    return K;
  }
  void unite(std::pair<int, int> A, std::pair<int, int> B) {
    A = root(A.first, A.second), B = root(B.first, B.second);
    if (A != B)
      Same[std::max(A, B)] = std::min(A, B);
  }
  int largestRank() const {
    int R = 1;
    for (const Param &P : Params)
      R = std::max(R, P.Rank);
    return R;
  }
  int64_t size(int Rank, int Ordinal) const {
    static const int64_t One[6][4] = {{257, 33, 1000, 1}, {257, 33, 1000, 1}, {33, 65, 19, 1}, {17, 9, 6, 1}, {7, 9, 5, 1}, {5, 3, 4, 1}};
    static const int64_t Many[3][8] = {{257, 130, 300, 99, 201, 77, 161, 45}, {33, 17, 45, 29, 51, 21, 37, 27}, {9, 5, 11, 7, 13, 6, 10, 8}};
    const int R = std::min(Rank, 5);
    if (!M.Distinct)
      return One[R][M.Level & 3];
    const int64_t *List = Many[R <= 1 ? 0 : R == 2 ? 1 : 2];
    return List[(M.Distinct == 2 ? (Ordinal ^ 1) + 2 * int(M.Level) : Ordinal + 2 * int(M.Level)) & 7];
  }
  int64_t valueOf(int P, int D) const {
    auto [RP, RD] = root(P, D);
    if (M.Distinct == 3 && size_t(D) < Params[size_t(P)].Words.size())
      return Shown.at(Params[size_t(P)].Words[size_t(D)]);
    auto Set = Params[size_t(RP)].Sizes.find(RD);
    if (Set != Params[size_t(RP)].Sizes.end())
      return Set->second;
    int Ordinal = 0;
    for (int I = 0; I < RP; ++I)
      Ordinal += Params[size_t(I)].Tensor ? Params[size_t(I)].Rank : 0;
    return size(largestRank(), Ordinal + RD);
  }
  void setSize(int P, int D, int64_t V) {
    auto [RP, RD] = root(P, D);
    Params[size_t(RP)].Sizes[RD] = V;
  }

  bool nothingAsked() const {
    bool Whole = false;
    for (const Param &P : Params)
      Whole |= P.Whole;
    for (const Seen &S : Ever)
      if (S.What == Look::Size || S.What == Look::Elements || S.What == Look::Rank)
        return false;
    return Whole;
  }
  bool isExact(int P) const { return !Params[size_t(P)].Words.empty() || Ever.count({Look::Elements, P, 0}) || Ever.count({Look::Rank, P, 0}); }

  void fill(TensorImpl &X, int64_t N) {
    Tensor T;
    T.impl_ = std::make_shared<TensorImpl>(X);
    T.impl_->Sizes = {N};
    T.impl_->Strides = {1};
    std::vector<double> V(static_cast<size_t>(N));
    uint64_t State = uint64_t(X.Param + 1) * 0x9E3779B97F4A7C15ull;
    for (int64_t I = 0; I < N; ++I) {
      State = State * 6364136223846793005ull + 1442695040888963407ull;
      double Unit = double(State >> 40) / double(1 << 24);
      V[size_t(I)] = c10::isFloatingType(X.Type) ? 2 * Unit - 1 : X.Type == ScalarType::Bool ? double(I & 1) : M.Counting ? double(I) : 0;
    }
    setValues(T, V);
  }

  //===- the search ---------------------------------------------------------===//

  /// One thing to change.
  struct Change {
    std::function<void()> Do;
  };
  struct State {
    std::vector<Param> Params;
    std::map<std::pair<int, int>, std::pair<int, int>> Same;
  };

  template <class F> bool find(F Call) {
    struct Point {
      std::vector<Change> Changes;
      size_t Next = 0;
      State Before;
    };
    std::map<std::string, Point> Points;
    std::string Last;
    for (int Try = 0; Try < 2000; ++Try) {
      Recent.clear();
      Made.clear();
      if (M.MergeA >= 0)
        unite({int(M.MergeA / 8), int(M.MergeA % 8)}, {int(M.MergeB / 8), int(M.MergeB % 8)});
      kcheck_torch_dry(1);
      std::string Said;
      try {
        Call();
        if (kcheck_torch_launches())
          return true;
        Said = "no kernel is launched";
      } catch (const NeedsRank &N) {
        if (Params[size_t(N.Param)].Rank < 6 && N.Rank <= 6 && ++Forced < 60) {
          Params[size_t(N.Param)].Rank = N.Rank;
          continue;
        }
        Said = "the number of dimensions of " + Params[size_t(N.Param)].Name;
      } catch (const NeedsType &N) {
        if (++Forced < 60) {
          Params[size_t(N.Param)].Type = N.Type;
          continue;
        }
        Said = "the type of " + Params[size_t(N.Param)].Name;
      } catch (const std::exception &E) {
        Said = E.what();
      }
      Why = Said;
      std::string Key = Said;
      for (const Seen &S : tail())
        Key += "|" + std::to_string(int(S.What)) + "," + std::to_string(S.Param) + "," + std::to_string(S.Dim);
      auto [It, New] = Points.try_emplace(Key);
      Point &P = It->second;
      if (New) {
        P.Before = {Params, Same};
        P.Changes = changes(tail());
      } else {
        Params = P.Before.Params, Same = P.Before.Same; // what was tried last did not help
      }
      if (P.Next >= P.Changes.size())
        return false;
      P.Changes[P.Next++].Do();
    }
    return false;
  }
  int Forced = 0;

  /// What was looked at since the last check that held, the latest first, each once.
  static std::vector<Seen> tail() {
    std::vector<Seen> Out;
    for (size_t I = Recent.size(); I-- > 0 && Out.size() < 12;)
      if (std::find(Out.begin(), Out.end(), Recent[I]) == Out.end())
        Out.push_back(Recent[I]);
    return Out;
  }

  std::vector<Change> changes(const std::vector<Seen> &Tail) {
    std::vector<Change> Out;
    std::vector<std::pair<int, int>> Dims;
    std::vector<int> Ranks, Types, Counts;
    for (const Seen &S : Tail) {
      if (S.What == Look::Size)
        Dims.push_back({S.Param, S.Dim});
      if (S.What == Look::Rank)
        Ranks.push_back(S.Param);
      if (S.What == Look::Type)
        Types.push_back(S.Param);
      if (S.What == Look::Elements)
        Counts.push_back(S.Param);
    }
    for (int P : Ranks)
      for (int R : {2, 4, 3, 1, 5, 0})
        if (R != Params[size_t(P)].Rank)
          Out.push_back({[=] { Params[size_t(P)].Rank = R; }});
    if (Ranks.size() > 1)
      for (int R : {2, 3, 4, 5})
        Out.push_back({[=] { for (int P : Ranks) Params[size_t(P)].Rank = R; }});
    for (size_t A = 0; A < Dims.size(); ++A)
      for (size_t B = A + 1; B < Dims.size(); ++B)
        Out.push_back({[=] { unite(Dims[A], Dims[B]); }});
    auto Alike = [this](int P, int Q) {
      Params[size_t(Q)].Rank = Params[size_t(P)].Rank;
      for (int D = 0; D < Params[size_t(P)].Rank; ++D)
        unite({P, D}, {Q, D});
    };
    for (size_t A = 0; A < Counts.size(); ++A)
      for (size_t B = A + 1; B < Counts.size(); ++B)
        Out.push_back({[=] { Alike(Counts[A], Counts[B]); }});
    if (Ranks.size() == 2)
      Out.push_back({[=] { Alike(Ranks[0], Ranks[1]); }});
    // A count of elements may have to be one of the sizes that were looked at.
    for (int P : Counts)
      for (auto D : Dims)
        if (D.first != P)
          Out.push_back({[=] {
            Params[size_t(P)].Rank = 1;
            unite({P, 0}, D);
          }});
    const std::vector<int64_t> Values = {4, 8, 16, 32, 64, 128, 256, 3, 2, 1, 512, 1024, 5, 6, 12, 24, 48, 96};
    for (auto D : Dims)
      for (int64_t V : Values)
        Out.push_back({[=] { setSize(D.first, D.second, V); }});
    for (int P : Counts)
      for (int64_t V : Values)
        Out.push_back({[=] { setSize(P, Params[size_t(P)].Rank - 1, V); }});
    if (Dims.size() > 1 && Dims.size() <= 4) // all of them at once
      for (int64_t V : Values)
        Out.push_back({[=] { for (auto D : Dims) setSize(D.first, D.second, V); }});
    const std::vector<ScalarType> Kinds = {ScalarType::Half, ScalarType::Long, ScalarType::Int, ScalarType::Double, ScalarType::BFloat16,
                                           ScalarType::Byte, ScalarType::Bool, ScalarType::Char, ScalarType::Float};
    for (int P : Types)
      for (ScalarType T : Kinds)
        Out.push_back({[=] { Params[size_t(P)].Type = T; }});
    if (Types.size() > 1)
      for (ScalarType T : Kinds)
        Out.push_back({[=] { for (int P : Types) Params[size_t(P)].Type = T; }});
    // Numbers that the caller gives leave no trace.
    for (size_t I = 0; I < Params.size(); ++I)
      if (Params[I].Whole)
        for (int64_t V : {1, 0, 3, 4, 8, 16, 32, 64, 128, 256, 5, 7, 9, 17, 33})
          Out.push_back({[=] { Params[I].Value = V; }});
    return Out;
  }

  /// Whoever asks for both sizes of a tensor, or makes one with both sizes, has two sizes in mind.
  bool mayDiffer(std::pair<int, int> A, std::pair<int, int> B) const {
    if (A.first == B.first && Ever.count({Look::Size, A.first, A.second}) && Ever.count({Look::Size, B.first, B.second}))
      return true;
    const int64_t X = valueOf(A.first, A.second), Y = valueOf(B.first, B.second);
    for (const std::vector<int64_t> &S : Made)
      if (std::find(S.begin(), S.end(), X) != S.end() && std::find(S.begin(), S.end(), Y) != S.end())
        return true;
    return false;
  }
  bool isShown(std::pair<int, int> Dim) const { return size_t(Dim.second) < Params[size_t(Dim.first)].Words.size(); }

  //===- what is told -------------------------------------------------------===//
  void describe() const {
    std::string Shapes, Merges, Rooms;
    for (size_t I = 0; I < Params.size(); ++I) {
      const Param &P = Params[I];
      if (P.Whole)
        Shapes += (Shapes.empty() ? "" : ", ") + P.Name + "=" + std::to_string(P.Value);
      if (!P.Tensor)
        continue;
      Shapes += (Shapes.empty() ? "" : ", ") + P.Name + "[";
      for (int D = 0; D < P.Rank; ++D)
        Shapes += (D ? "," : "") + std::to_string(valueOf(int(I), D));
      Shapes += "]";
      if (!isExact(int(I)))
        Rooms += P.Name + "\n";
    }
    // Dims of different sizes that no check told apart or together.
    std::vector<std::pair<int, int>> Roots;
    for (size_t I = 0; I < Params.size(); ++I)
      for (int D = 0; Params[I].Tensor && D < Params[I].Rank; ++D)
        if (auto R = root(int(I), D); std::find(Roots.begin(), Roots.end(), R) == Roots.end())
          Roots.push_back(R);
    for (size_t A = 0; A < Roots.size(); ++A)
      for (size_t B = A + 1; B < Roots.size(); ++B)
        if (!isShown(Roots[A]) && !mayDiffer(Roots[A], Roots[B]) && valueOf(Roots[A].first, Roots[A].second) != valueOf(Roots[B].first, Roots[B].second))
          Merges += std::to_string(Roots[A].first * 8 + Roots[A].second) + " " + std::to_string(Roots[B].first * 8 + Roots[B].second) + "\n";
    kcheck_torch_say("shapes", Shapes.c_str());
    kcheck_torch_say("merges", Merges.c_str());
    kcheck_torch_say("rooms", Rooms.c_str());
  }
};

//===- arguments by type ----------------------------------------------------===//
template <class T> struct Given; ///< types that have no specialisation cannot be given
template <> struct Given<Tensor> { static Tensor of(Search &S, int I, const char *N) { return S.tensor(I, N); } };
template <> struct Given<std::optional<Tensor>> { static std::optional<Tensor> of(Search &S, int I, const char *N) { return S.tensor(I, N); } };
template <> struct Given<bool> { static bool of(Search &, int, const char *) { return false; } };
template <> struct Given<float> { static float of(Search &, int, const char *) { return 0.5f; } };
template <> struct Given<double> { static double of(Search &, int, const char *) { return 0.5; } };
template <> struct Given<c10::Scalar> { static c10::Scalar of(Search &, int, const char *) { return c10::Scalar(0.5); } };
#define KCHECK_TORCH_WHOLE(T) template <> struct Given<T> { static T of(Search &S, int I, const char *N) { return static_cast<T>(S.whole(I, N)); } };
KCHECK_TORCH_WHOLE(int) KCHECK_TORCH_WHOLE(unsigned) KCHECK_TORCH_WHOLE(long) KCHECK_TORCH_WHOLE(unsigned long) KCHECK_TORCH_WHOLE(long long)
KCHECK_TORCH_WHOLE(unsigned long long) KCHECK_TORCH_WHOLE(short) KCHECK_TORCH_WHOLE(unsigned char) KCHECK_TORCH_WHOLE(signed char)
#undef KCHECK_TORCH_WHOLE

/// A place for an argument that is taken by reference.
template <class T> T &given(Search &S, int I, const char *Name) {
  static T Held[32];
  return Held[I] = Given<T>::of(S, I, Name);
}
} // namespace kcheck_torch
#endif
