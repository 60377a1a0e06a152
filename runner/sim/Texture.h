//===- Texture.h - what a texture or surface object stands for ----------------===//
//
// An object's handle is the address of its description in simulated memory, so that host code of another process
// makes it by the copies that it has anyway. What a kernel brings as a handle is therefore checked before it is used.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_SIM_TEXTURE_H
#define KCHECK_SIM_TEXTURE_H

#include <cstdint>

namespace kcheck::sim {

/// Shapes of fetches, in the order of the bits that a call carries.
enum class TextureShape : uint32_t { Line, Plane, Volume, Lines, Planes, Cube, Cubes };
/// What a surface access does outside of the array.
enum class SurfaceEdge : uint32_t { Trap, Clamp, Zero };

enum class TextureEdge : uint8_t { Wrap, Clamp, Mirror, Border }; // cudaTextureAddressMode
enum class TexelFormat : uint8_t { Signed, Unsigned, Float };     // cudaChannelFormatKind

struct TextureObject {
  static constexpr uint64_t TextureMark = 0x6b63686b54455831, SurfaceMark = 0x6b63686b53555231;

  uint64_t Mark = 0;
  uint64_t Data = 0;                  ///< address of the first texel
  uint64_t RowBytes = 0, SliceBytes = 0;
  uint32_t Width = 0, Height = 1, Depth = 1; ///< Depth: of a volume, or layers
  bool Array = false;                 ///< of a CUDA array; else linear memory
  bool Normalized = false;            ///< coordinates
  bool Linear = false;                ///< filter
  bool NormalizedRead = false;        ///< integers come as fractions
  uint8_t Channels = 1, ChannelBytes = 4;
  TexelFormat Format = TexelFormat::Float;
  TextureEdge Edge[3] = {TextureEdge::Clamp, TextureEdge::Clamp, TextureEdge::Clamp};
  float Border[4] = {};

  uint32_t texelBytes() const { return uint32_t(Channels) * ChannelBytes; }
  bool givesFloat() const { return Format == TexelFormat::Float || NormalizedRead; }
};

} // namespace kcheck::sim
#endif
